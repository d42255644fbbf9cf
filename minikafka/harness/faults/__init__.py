"""The faults of a run: how each kind begins and ends, and what carries a schedule out."""
