"""The base of every API handler: context, waits, registry, forwarding, commits."""
