"""Scenarios: commands as text, carried out on a simulated cluster."""
