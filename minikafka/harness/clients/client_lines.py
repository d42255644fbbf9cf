"""The lines between a producer and the command of `--client-command`; docs/any-client.md.

The harness writes JSON objects, one a line: first the settings, then the records. The command
writes one JSON object for the outcome of each record.
"""

import json
from base64 import b64encode
from typing import Any, Final

from minikafka.harness.clients import login
from minikafka.harness.clients.outbox import ProducerTask
from minikafka.harness.clients.producer_client import DELIVERY_TIMEOUT_S, DeliveryReport
from minikafka.harness.clients.records import NumberedRecord

VERSION: Final = 1
LINE_MAX_BYTES: Final = 64 << 10
"""The length of the longest line that a command may write."""

_ERROR_MAX_CHARS = 200
_SHOWN_MAX_CHARS = 80
_OFFSET_MAX = (1 << 44) - 1
_TIMESTAMP_MAX_MS = (1 << 53) - 1


class ClientLineError(Exception):
    """A line that no client may write; the message says what is wrong with it."""


def settings_line(task: ProducerTask) -> bytes:
    """Return the first line: the topics, and the settings by the names of a Java producer."""
    properties = {
        "bootstrap.servers": task.bootstrap_servers,
        **login.for_java(),
        "client.id": f"minikafka-verify-{task.pid}",
        "acks": task.acks,
        "enable.idempotence": str(task.idempotent).lower(),
        "compression.type": task.compression,
        "delivery.timeout.ms": str(int(DELIVERY_TIMEOUT_S * 1000)),
    }
    return _line(
        {
            "version": VERSION,
            "topics": task.topics,
            "partitions": task.partitions,
            "transactional": task.transactions,
            "message_max_bytes": task.message_max_bytes,
            "properties": properties,
        }
    )


def record_line(record: NumberedRecord, topic: str, partition: int) -> bytes:
    """Return the line of a record."""
    return _line(
        {
            "id": record.seq,
            "topic": topic,
            "partition": partition,
            "key": _base64(record.key),
            "value": _base64(record.value),
            "headers": [[name, _base64(value)] for name, value in record.headers],
            "timestamp": record.timestamp_ms,
        }
    )


def _line(content: dict[str, Any]) -> bytes:
    return json.dumps(content, separators=(",", ":")).encode() + b"\n"


def _base64(data: bytes) -> str:
    return b64encode(data).decode("ascii")


def parse_outcome(line: bytes, *, has_offset: bool) -> tuple[DeliveryReport, int | None]:
    """Parse the line of an outcome; return it with the partition that it names, if any.

    `has_offset` is True if a record that was acknowledged must have an offset: unless acks is 0.

    Raises:
        ClientLineError: if it is not an outcome.
    """
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise ClientLineError(f"wrote a line that is not a JSON object: {_shown(line)}")
    seq = _number(content, "id", line, required=True)
    assert seq is not None
    error, definite = content.get("error"), content.get("definite", False)
    if error is not None:
        if not isinstance(error, str) or not error or not isinstance(definite, bool):
            raise ClientLineError(
                "wrote an outcome whose error is not a text, or whose definite is not true or"
                f" false: {_shown(line)}"
            )
        report = DeliveryReport(seq, _error_text(error), definite, None, None)
        return report, None
    offset = _number(content, "offset", line, required=has_offset, most=_OFFSET_MAX)
    timestamp_ms = _number(content, "timestamp", line, most=_TIMESTAMP_MAX_MS)
    partition = _number(content, "partition", line)
    return DeliveryReport(seq, "", False, offset, timestamp_ms), partition


def _error_text(error: str) -> str:
    """Return a client's error for the ledger, where a text of the harness has another meaning."""
    return f"client: {error}"[:_ERROR_MAX_CHARS]


def _number(
    content: dict[str, Any],
    name: str,
    line: bytes,
    *,
    required: bool = False,
    most: int = (1 << 63) - 1,
) -> int | None:
    """Return a whole number of an outcome; None if it is absent, null or -1, and may be."""
    value = content.get(name)
    if not required and (value is None or value == -1):
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise ClientLineError(
            f"wrote an outcome whose {name} is not a whole number from 0 to {most}: {_shown(line)}"
        )
    return value


def _shown(line: bytes) -> str:
    text = line.decode("utf-8", "replace")
    return repr(text if len(text) <= _SHOWN_MAX_CHARS else text[:_SHOWN_MAX_CHARS] + "…")
