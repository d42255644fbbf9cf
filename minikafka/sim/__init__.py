"""The deterministic world around the same node."""
