"""The reports of the clients written in Python, whose callbacks run in threads of their own."""

import time
from queue import Empty, SimpleQueue
from typing import Any

from minikafka.harness.clients.producer_client import DeliveryReport
from minikafka.harness.plan.workload_options import Acks

_DEFINITE_PY_ERRORS = frozenset(
    {
        "MessageSizeTooLargeError",
        "RecordListTooLargeError",
        "InvalidTopicError",
        "TopicAuthorizationFailedError",
    }
)
"""Names of both clients written in Python: aiokafka took its error classes from kafka-python."""


def acks_value(acks: Acks) -> int | str:
    """Return `acks` in the form that the clients written in Python expect."""
    return acks if acks == "all" else int(acks)


def refused(seq: int, error: BaseException) -> DeliveryReport:
    """Return the report of a record that was not acknowledged."""
    name = type(error).__name__
    return DeliveryReport(seq, name, name in _DEFINITE_PY_ERRORS, offset=None, timestamp_ms=None)


def confirmed(seq: int, metadata: Any) -> DeliveryReport:
    """Return the report of a record that was acknowledged with this metadata."""
    # With acks=0 the client gets no response and knows no offset.
    at = getattr(metadata, "offset", None)
    stamp = getattr(metadata, "timestamp", None)
    return DeliveryReport(seq, "", definite=False, offset=at, timestamp_ms=stamp)


def collect(queue: "SimpleQueue[DeliveryReport]", wait_s: float) -> list[DeliveryReport]:
    """Wait, and return the reports that have arrived."""
    time.sleep(wait_s)
    found = []
    while True:
        try:
            found.append(queue.get_nowait())
        except Empty:
            return found
