"""The faults of a simulated cluster, and how each is undone."""
