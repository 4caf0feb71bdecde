"""GitHub Copilot, in its CLI and in VS Code."""
