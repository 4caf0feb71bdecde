"""The programs in which agents run: what ctx knows about each, one folder a host."""
