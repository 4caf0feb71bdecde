"""Sessions: import, compaction, promotion."""
