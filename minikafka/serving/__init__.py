"""What every API handler stands on: context, waits, registry, forwarding, commits."""
