"""The protocol as classes, generated from `schemas/` by tools/generate_messages.py."""
