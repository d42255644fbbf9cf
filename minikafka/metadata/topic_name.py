"""The rules for topic names, and the collision of topic names in metrics.

Source: `org.apache.kafka.common.internals.Topic`.
"""

MAX_NAME_LENGTH = 249
METADATA_TOPIC = "__cluster_metadata"
_LEGAL = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


def fault_in_topic_name(name: str) -> str | None:
    """Describe what is wrong with a topic name; None if it is valid."""
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
    """The topic's name in metrics, with '_' for '.'; it must be unique among topics."""
    return name.replace(".", "_")
