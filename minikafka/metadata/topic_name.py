"""Which names a topic may have, and which names stand in each other's way.

Source: `org.apache.kafka.common.internals.Topic`.
"""

MAX_NAME_LENGTH = 249
METADATA_TOPIC = "__cluster_metadata"
_LEGAL = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


def fault_in_topic_name(name: str) -> str | None:
    """What is wrong with a name, in words, or None if a topic may have it."""
    if not name:
        return "a topic name must not be empty"
    if name in (".", ".."):
        return f"{name!r} must not be the name of a topic"
    if len(name) > MAX_NAME_LENGTH:
        return f"a topic name has at most {MAX_NAME_LENGTH} characters, not {len(name)}"
    for char in name:
        if char not in _LEGAL:
            return f"topic name {name!r} has a character other than letters, digits, '.', '_', '-'"
    return None


def metric_name(name: str) -> str:
    """The name in the topic's metrics, where two topics may not have the same: '.' becomes '_'."""
    return name.replace(".", "_")
