"""Segments: log files with their indexes, and the reads of batches in them."""
