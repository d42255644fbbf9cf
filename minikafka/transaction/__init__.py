"""The transaction coordinator (KIP-98, KIP-890)."""
