"""The deontic reader: whether a paragraph instructs, judged by its words (``reading``)."""
