"""Scenarios: commands as text, run on a simulated cluster."""
