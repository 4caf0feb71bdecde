"""ctx: pack a Markdown context directory into a packet that keeps its token budget."""

__version__ = "0.1.0"
