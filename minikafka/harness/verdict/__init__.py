"""The verdict: every broken promise, and what a run must show before it counts as verified."""
