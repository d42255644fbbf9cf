"""The verdict: the broken promises, and the evidence that a run needs to count as verified."""
