"""GitHub Copilot, its CLI and VS Code."""
