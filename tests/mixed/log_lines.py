"""Lines in the logs of nodes by which one kind complains about the other, or about its files."""

import re

_MINIKAFKA = re.compile(r"^\d{4}-\S+ \S+ (?:ERROR|CRITICAL) |^Traceback|is damaged")
_KAFKA = re.compile(
    r"InvalidRequestException|UnsupportedVersionException|does not support version"
    r"|SchemaException|Unexpected api key|CorruptRecordException|CorruptIndexException"
    r"|FatalExitError"
)
_API_OF_RECOVERY = "1093"
"""GetReplicaLogInfo, to which Apache Kafka answers by closing the connection."""


def complaints(text):
    """Return the lines of a node's log that show a fault; the node may have been of both kinds."""
    return [
        line
        for line in text.splitlines()
        if _MINIKAFKA.search(line) or (_KAFKA.search(line) and _API_OF_RECOVERY not in line)
    ]
