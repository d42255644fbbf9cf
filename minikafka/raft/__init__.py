"""The quorum that owns the metadata log."""
