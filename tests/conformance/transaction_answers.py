"""Answers about transactions as values that two clusters have in common.

Producer ids become numbers in the order of their creation; times, addresses, messages, throttling
and transactional ids of other sequences are left out.
"""

from minikafka.records.batch import HEADER_SIZE, LOG_OVERHEAD, read_header
from minikafka.records.reader import control_type, end_marker, read_batch

MISSING = "missing"
UNKNOWN_ID = 10**12
_MASKED = {
    "throttle_time_ms", "log_append_time_ms", "transaction_start_time_ms", "last_timestamp",
    "timestamp", "host", "port", "error_message", "unknown_tagged_fields", "topic_id",
    "batch_index_error_message", "node_endpoints", "records", "session_id",
}  # fmt: skip


class Side:
    """One cluster: its ids of topics and producers. `number` of a producer is the same on both."""

    def __init__(self, ask, topic_ids, names):
        self.ask = ask
        self.names = names
        self.topic_ids = topic_ids
        self.producer_ids = []

    def producer_id(self, number):
        return {-1: -1, -2: UNKNOWN_ID}.get(number) or self.producer_ids[number]

    def number_of(self, producer_id):
        if producer_id < 0:
            return producer_id
        if producer_id == UNKNOWN_ID:
            return -2
        if producer_id not in self.producer_ids:
            self.producer_ids.append(producer_id)
        return self.producer_ids.index(producer_id)

    def topic_id(self, name):
        return self.topic_ids.get(name, self.topic_ids[MISSING])


def values_of(side, answer):
    """Return an answer without what differs between clusters."""
    if isinstance(answer, list):
        if answer and isinstance(answer[0], int):
            return sorted(answer)
        own = [each for each in answer if _is_own(side, each)]
        rows = [values_of(side, each) for each in own]
        return sorted(rows, key=repr) if rows and isinstance(rows[0], dict) else rows
    if not hasattr(answer, "__slots__") or isinstance(answer, (int, str, bytes)):
        return answer
    found = {}
    for name in answer.__slots__:
        value = getattr(answer, name, None)
        if name == "producer_id":
            found[name] = side.number_of(value)
        elif name == "records" and value is not None:
            found[name] = batches_of(side, bytes(value))
        elif name not in _MASKED:
            found[name] = values_of(side, value)
    return found


def _is_own(side, row):
    """False for a transactional id of another sequence, which ListTransactions has too."""
    name = getattr(row, "transactional_id", "")
    return name in ("", side.names.missing, *side.names.ids)


def batches_of(side, data):
    """The batches of a fetch, without times and checksums."""
    found = []
    at = 0
    while len(data) - at >= HEADER_SIZE:
        header = read_header(data, at)
        if len(data) - at < header.batch_length + LOG_OVERHEAD:
            break
        records = list(read_batch(data, at, header))
        if header.is_control:
            marker = end_marker(records[0])
            values = [control_type(records[0].key), marker and marker.coordinator_epoch]
        else:
            values = [each.value.decode() for each in records]
        found.append([
            header.base_offset, header.last_offset, header.attributes, header.leader_epoch,
            side.number_of(header.producer_id), header.producer_epoch, header.base_sequence, values,
        ])  # fmt: skip
        at += header.batch_length + LOG_OVERHEAD
    return found
