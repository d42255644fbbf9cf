"""Explanations of a run: its story, its messages, a shorter plan."""
