"""The only code that changes files that people write: it adds, and loses nothing."""
