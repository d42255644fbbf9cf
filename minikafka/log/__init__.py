"""Replica logs on a disk: segments, indexes, epochs, producer state, recovery."""
