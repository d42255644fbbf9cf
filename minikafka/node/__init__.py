"""One node: step(event, now) -> effects."""
