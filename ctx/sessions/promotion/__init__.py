"""Which turns deserve to become durable knowledge: the gate, and the text of a proposed entry.

Source: ``compaction.md``, section Promotion. Text and cosines in, figures and text out; nothing
here reads a file.
"""
