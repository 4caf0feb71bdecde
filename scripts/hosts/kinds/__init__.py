"""Hosts, one a file."""

from scripts.hosts.host import Host
from scripts.hosts.kinds import claude

HOSTS: dict[str, Host] = {each.name: each for each in (claude.HOST,)}
