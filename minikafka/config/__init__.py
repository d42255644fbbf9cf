"""Configuration keys, typed and validated: broker, topic and quorum tables."""
