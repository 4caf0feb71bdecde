"""The only code that changes what people keep: it adds, and loses nothing of what was there."""
