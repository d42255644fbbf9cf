"""Batches that the nodes accepted from odd clients: decodable, and present at the end."""

from minikafka.common.errors import ErrorCode
from tests.fuzz.answers import FaultFoundError, decoded
from tests.fuzz.decoder import Decoded, UndecodableError, decode

_PRODUCER_ID_AT = slice(43, 51)
_BY_ID_FROM = 13


class Accepted:
    """Batches that were acknowledged by all replicas, by topic id and partition."""

    def __init__(self):
        self.batches = {}
        self.count = 0

    def note(self, frame, body, ids_by_name):
        """Read an answer to a Produce: whatever it accepts, a consumer must be able to decode.

        `ids_by_name` has the topics whose id did not change while the request was under way.
        """
        request = decoded(frame)
        sent = {}
        for topic in request.topic_data:
            for each in topic.partition_data:
                topic_key = topic.topic_id if frame.version >= _BY_ID_FROM else topic.name
                sent.setdefault((topic_key, each.index), []).append(bytes(each.records or b""))
        for topic in body.responses:
            by_id = frame.version >= _BY_ID_FROM
            for each in topic.partition_responses:
                if each.error_code != ErrorCode.NONE:
                    continue
                self.count += 1
                key = topic.topic_id if by_id else topic.name
                (*_, records) = sent[key, each.index]
                made = _decode(frame, records)
                topic_id = key if by_id else ids_by_name.get(key)
                if request.acks == -1 and topic_id is not None and not _is_idempotent(records):
                    self.batches[topic_id, each.index, each.base_offset] = made

    @staticmethod
    def check(batches, topic_id, partition, found):
        """Compare what was read of a whole log with `batches`: what was accepted before."""
        by_offset = {record.offset: record for record in found}
        first = min(by_offset, default=None)
        for (batch_topic, batch_partition, base_offset), made in batches.items():
            if (batch_topic, batch_partition) != (topic_id, partition):
                continue
            for record in made:
                offset = base_offset + record.offset
                if first is None or offset < first:
                    continue
                there = by_offset.get(offset)
                if there is None or _content(there) != _content(record):
                    raise FaultFoundError(
                        f"accepted at {partition}:{offset}: {record}, and there is {there}"
                    )


def _decode(frame, records):
    try:
        made = decode(records, is_stored=False)
    except UndecodableError as error:
        raise FaultFoundError(f"accepted what cannot be decoded: {error}: {frame}") from None
    if not made:
        raise FaultFoundError(f"accepted no records: {frame}")
    return made


def _is_idempotent(records):
    """True for a batch that may be a repetition: then what is stored is the first of them."""
    return int.from_bytes(records[_PRODUCER_ID_AT], "big", signed=True) >= 0


def _content(record: Decoded):
    # A topic's configuration may change the timestamp.
    return record.key, record.value, record.headers
