"""Hosts, one a file."""

from scripts.hosts.host import Host
from scripts.hosts.kinds import claude, codex, copilot, gemini, opencode, qwen

HOSTS: dict[str, Host] = {
    each.HOST.name: each.HOST for each in (claude, codex, gemini, copilot, opencode, qwen)
}
