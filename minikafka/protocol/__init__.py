"""Primitives of the wire: readers, writers and frames."""
