"""The rules for topic names, and the collision of topic names in metrics.

Source: `org.apache.kafka.common.internals.Topic`.
"""

MAX_NAME_LENGTH = 249
METADATA_TOPIC = "__cluster_metadata"
_LEGAL = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


def fault_in_topic_name(name: str) -> str | None:
    """Describe what is wrong with a topic name, in Kafka's words; None if it is valid."""
    fault = None
    if not name:
        fault = "the empty string is not allowed"
    elif name in (".", ".."):
        fault = f"'{name}' is not allowed"
    elif len(name) > MAX_NAME_LENGTH:
        fault = f"the length of '{name}' is longer than the max allowed length {MAX_NAME_LENGTH}"
    elif any(char not in _LEGAL for char in name):
        fault = (
            f"'{name}' contains one or more characters other than ASCII alphanumerics, '.', '_' "
            "and '-'"
        )
    return fault and f"Topic name is invalid: {fault}"


def metric_name(name: str) -> str:
    """The topic's name in metrics, with '_' for '.'; it must be unique among topics."""
    return name.replace(".", "_")
