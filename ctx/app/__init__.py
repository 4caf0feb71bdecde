"""What the program does: one use a file, called alike by the command line, MCP and hooks."""
