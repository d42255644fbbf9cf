"""Producers of a log: their state, its snapshots, and the verification of transactions."""
