"""The clients of a run: producers with their ledgers, and a consumer group with its poll log."""
