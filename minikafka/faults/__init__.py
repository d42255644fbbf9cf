"""Faults that a running node injects into its answers, links and clock when a test asks for them.

`vocabulary` has the kinds, `matching` decides which request a fault hits, `dispatcher` injects. A
node uses nothing of this package unless `server/debug_hooks.py` enables it.
"""
