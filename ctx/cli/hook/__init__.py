"""``ctx hook``. Nothing is imported here: the package is on the path of every hook."""
