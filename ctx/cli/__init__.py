"""Where the program meets its user: one command a file."""
