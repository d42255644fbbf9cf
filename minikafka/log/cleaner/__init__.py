"""Compaction: of the records with one key, only the latest is kept."""
