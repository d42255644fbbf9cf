"""The asyncio shell around a node."""
