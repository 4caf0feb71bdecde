"""The pages of ``ctx serve``: markup, style and script, and the library that draws them."""
