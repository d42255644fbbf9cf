"""Primitives of the wire format: readers, writers and frames."""
