"""What ctx stores between runs: caches, which can be rebuilt, and what sessions received."""
