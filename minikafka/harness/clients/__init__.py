"""The clients of a run: producers and their ledgers, a consumer group and the log of its polls."""
