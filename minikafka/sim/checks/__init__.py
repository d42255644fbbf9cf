"""Checkers that inspect every step, and the coverage of their rules."""
