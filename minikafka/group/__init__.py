"""The consumer group coordinator."""
