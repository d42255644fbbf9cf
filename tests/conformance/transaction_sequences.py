"""Random sequences of requests about transactions, for two clusters, and their answers as values.

A step is drawn once, from what both have answered so far, and built for each cluster, since each
has its own producer ids and topic ids. `values_of` makes answers comparable: producer ids become
numbers in the order of their creation; times, addresses, messages and throttling are left out.
"""

import time
from typing import NamedTuple

from minikafka.messages.add_offsets_to_txn import AddOffsetsToTxnRequest
from minikafka.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)
from minikafka.messages.delete_groups import DeleteGroupsRequest
from minikafka.messages.describe_producers import DescribeProducersRequest
from minikafka.messages.describe_producers import TopicRequest as ProducersTopic
from minikafka.messages.describe_transactions import DescribeTransactionsRequest
from minikafka.messages.end_txn import EndTxnRequest
from minikafka.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from minikafka.messages.find_coordinator import FindCoordinatorRequest
from minikafka.messages.init_producer_id import InitProducerIdRequest
from minikafka.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from minikafka.messages.list_transactions import ListTransactionsRequest
from minikafka.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from minikafka.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from minikafka.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)
from minikafka.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from minikafka.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from minikafka.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)
from minikafka.records.batch import HEADER_SIZE, LOG_OVERHEAD, read_header
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.records.reader import control_type, end_marker, read_batch

STEPS = 12
MISSING = "missing"
UNKNOWN_ID = 10**12
_NOW_MS = time.time_ns() // 1_000_000
_MASKED = {
    "throttle_time_ms", "log_append_time_ms", "transaction_start_time_ms", "last_timestamp",
    "timestamp", "host", "port", "error_message", "unknown_tagged_fields", "topic_id",
    "batch_index_error_message", "node_endpoints", "records", "session_id",
}  # fmt: skip
_LATEST, _EARLIEST, _MAX_TIMESTAMP = -1, -2, -3


class Names(NamedTuple):
    """What a sequence may use: nothing of it is used by another one."""

    ids: tuple
    groups: tuple
    topic: str
    partitions: tuple
    missing: str
    """A transactional id that few sequences use."""


class Producer(NamedTuple):
    """A producer as a step names it: the number of its id (see `Side`), and its epoch."""

    number: int
    epoch: int


NOBODY = Producer(-1, -1)
STRANGER = Producer(-2, 0)


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


class Step(NamedTuple):
    """A request: `build(side)` makes it, `version` is that of the API."""

    text: str
    build: object
    version: int


class Sequence:
    """Draws steps. `producers` are the ids and epochs that both have answered, newest last."""

    def __init__(self, rng, names):
        self.rng = rng
        self.names = names
        self.producers = {name: [NOBODY] for name in names.ids}
        self.sequences = {}

    def learn(self, name, values):
        """Note the producer that an answer has, if both have it."""
        number, epoch = values.get("producer_id", -1), values.get("producer_epoch", -1)
        if values.get("error_code") == 0 and number >= 0:
            self.producers.setdefault(name, []).append(Producer(number, epoch))

    def step(self):
        """Draw the next step."""
        kinds, weights = zip(*KINDS, strict=True)
        return self.rng.choices(kinds, weights)[0](self)

    def first(self):
        """The steps at the start: most sequences need a producer."""
        return [init(self, name, NOBODY) for name in self.names.ids]

    def last(self):
        """What each sequence ends with: everything that readers and operators see."""
        found = [describe_transactions(self), list_transactions(self)]
        found += [fetch(self, isolation, 12) for isolation in (0, 1)]
        found += [list_offsets(self, isolation, _LATEST, 5) for isolation in (0, 1)]
        found.append(describe_producers(self, self.names.partitions))
        found += [offset_fetch(self, stable, 8) for stable in (False, True)]
        return found

    # Parts of requests

    def name(self):
        """A transactional id, mostly of this sequence."""
        if self.rng.randrange(30) == 0:
            return self.rng.choice(("", self.names.missing))
        return self.rng.choice(self.names.ids)

    def producer(self, name):
        """A producer, mostly the current one of this id."""
        known = self.producers.get(name) or [NOBODY]
        now = known[-1]
        kind = self.rng.randrange(24)
        if kind == 0:
            return now._replace(epoch=now.epoch + 1)
        if kind == 1:
            return now._replace(epoch=now.epoch - 1)
        if kind == 2:
            return self.rng.choice(known)
        if kind == 3:
            return self.rng.choice([each[-1] for each in self.producers.values()])
        return STRANGER if kind == 4 else now

    def partitions(self):
        """Some partitions; sometimes one that does not exist."""
        found = self.rng.choice(
            ((0,), (1,), (0, 1), (0,), (1,), (0, 1))
        )  # more often one or both than none
        rows = [(self.names.topic, self.names.partitions[each]) for each in found]
        odd = self.rng.randrange(20)
        if odd == 0:
            rows.append((self.names.topic, 9999))
        elif odd == 1:
            rows.append((MISSING, 0))
        return rows

    def group(self):
        return self.rng.choice(self.names.groups)


def by_topic(rows):
    found = {}
    for topic, index in rows:
        found.setdefault(topic, []).append(index)
    return found


def init(seq, name=None, producer=None):
    rng = seq.rng
    version = rng.randrange(6)
    name = seq.name() if name is None else name
    if rng.randrange(25) == 0 and producer is None:
        name = None
    if producer is None:
        producer = NOBODY if rng.randrange(2) or version < 3 else seq.producer(name)
    timeout_ms = rng.choice((60_000, 60_000, 60_000, 60_000, 0, -1, 900_001))

    def build(side):
        request = InitProducerIdRequest(name, timeout_ms)
        if version >= 3:
            request.producer_id = side.producer_id(producer.number)
            request.producer_epoch = producer.epoch
        return request

    return Step(f"init {name} {producer} timeout {timeout_ms}", build, version), name


def add_partitions(seq):
    rng = seq.rng
    version = rng.randrange(6)
    count = 1 if version < 4 else rng.choice((1, 1, 1, 2))
    rows = []
    for name in rng.sample(seq.names.ids, count) if count > 1 else [seq.name()]:
        rows.append((name, seq.producer(name), seq.partitions(), rng.randrange(3) == 0))

    def build(side):
        made = [
            AddPartitionsToTxnTransaction(
                name, side.producer_id(producer.number), producer.epoch, verifies,
                [AddPartitionsToTxnTopic(t, indexes) for t, indexes in by_topic(parts).items()],
            )
            for name, producer, parts, verifies in rows
        ]  # fmt: skip
        if version >= 4:
            return AddPartitionsToTxnRequest(made)
        (one,) = made
        return AddPartitionsToTxnRequest(
            [], one.transactional_id, one.producer_id, one.producer_epoch, one.topics
        )

    return Step(f"add partitions {rows}", build, version), None


def add_offsets(seq):
    name = seq.name()
    producer, group, version = seq.producer(name), seq.group(), seq.rng.randrange(5)

    def build(side):
        return AddOffsetsToTxnRequest(
            name, side.producer_id(producer.number), producer.epoch, group
        )

    return Step(f"add offsets {name} {producer} {group}", build, version), None


def produce(seq):
    rng = seq.rng
    version = rng.randrange(3, 14)
    name = seq.name()
    transactional_id = rng.choice((name,) * 10 + (None, rng.choice(seq.names.ids)))
    rows = []
    for topic, index in seq.partitions():
        # Mostly one producer for the whole request.
        owner = name if rng.randrange(12) else rng.choice(seq.names.ids)
        producer = seq.producer(owner)
        is_transactional = rng.randrange(10) > 0
        key = (producer, topic, index)
        sequence = seq.sequences.get(key, 0)
        odd = rng.randrange(16)
        sequence += {0: 1, 1: -1, 2: 5}.get(odd, 0)
        if odd == 3:
            sequence = 0
        count = rng.choice((1, 1, 2, 3))
        if producer.number == -1:
            producer, sequence = NOBODY, -1
            is_transactional = False
        elif sequence < 0:
            sequence = 0
        rows.append((topic, index, producer, is_transactional, sequence, count))
    by_name = {}
    for row in rows:
        by_name.setdefault(row[0], []).append(row)

    def build(side):
        return ProduceRequest(
            transactional_id, -1, 5_000,
            [
                TopicProduceData(
                    "" if version >= 13 else topic,
                    *([side.topic_id(topic)] if version >= 13 else []),
                    partition_data=[
                        PartitionProduceData(row[1], memoryview(batch_of(side, row)))
                        for row in mine
                    ],
                )
                for topic, mine in by_name.items()
            ],
        )  # fmt: skip

    text = f"produce {transactional_id} {rows}"
    return Step(text, build, version), ("produce", rows)


def batch_of(side, row):
    _, _, producer, is_transactional, sequence, count = row
    options = BatchOptions(
        producer_id=side.producer_id(producer.number), producer_epoch=producer.epoch,
        base_sequence=sequence, is_transactional=is_transactional,
    )  # fmt: skip
    records = [NewRecord(_NOW_MS, None, b"%d" % (sequence + each)) for each in range(count)]
    return build_batch(records, options)


def txn_offset_commit(seq):
    rng = seq.rng
    version = rng.randrange(6)
    name = seq.name()
    producer, group, parts = seq.producer(name), seq.group(), seq.partitions()
    offset = rng.randrange(100)
    generation, member = (-1, "")
    if version >= 3 and rng.randrange(8) == 0:
        generation, member = rng.choice(((1, ""), (-1, "m"), (1, "m")))

    def build(side):
        rows = [
            TxnOffsetCommitRequestTopic(
                topic, partitions=[TxnOffsetCommitRequestPartition(i, offset) for i in indexes]
            )
            for topic, indexes in by_topic(parts).items()
        ]
        request = TxnOffsetCommitRequest(
            name, group, side.producer_id(producer.number), producer.epoch
        )
        request.topics = rows
        if version >= 3:
            request.generation_id_or_member_epoch, request.member_id = generation, member
        return request

    text = f"txn offset commit {name} {producer} {group} {parts} {offset} {generation} {member}"
    return Step(text, build, version), None


def offset_commit(seq):
    rng = seq.rng
    version, group, parts, offset = (
        rng.randrange(2, 10), seq.group(), seq.partitions(), rng.randrange(100)
    )  # fmt: skip

    def build(_):
        return OffsetCommitRequest(
            group,
            topics=[
                OffsetCommitRequestTopic(
                    topic, partitions=[OffsetCommitRequestPartition(i, offset) for i in indexes]
                )
                for topic, indexes in by_topic(parts).items()
            ],
        )

    return Step(f"offset commit {group} {parts} {offset}", build, version), None


def end(seq):
    name = seq.name()
    producer, commits, version = (
        seq.producer(name), seq.rng.randrange(2) == 0, seq.rng.randrange(6)
    )  # fmt: skip

    def build(side):
        return EndTxnRequest(name, side.producer_id(producer.number), producer.epoch, commits)

    text = f"{'commit' if commits else 'abort'} {name} {producer}"
    return Step(text, build, version), name


def write_markers(seq):
    rng = seq.rng
    version = rng.choice((1, 2))
    rows = []
    for name in rng.sample(seq.names.ids, rng.choice((1, 1, 2))):
        producer = seq.producer(name)
        if producer == NOBODY and rng.randrange(20):
            producer = STRANGER
        rows.append((
            producer, rng.randrange(2) == 0, seq.partitions(),
            rng.choice((0, 0, 0, 0, -1, 3)), rng.randrange(3),
        ))  # fmt: skip

    def build(side):
        return WriteTxnMarkersRequest(
            [
                WritableTxnMarker(
                    side.producer_id(producer.number), producer.epoch, commits,
                    [WritableTxnMarkerTopic(t, indexes) for t, indexes in by_topic(parts).items()],
                    coordinator_epoch, *([level] if version >= 2 else []),
                )
                for producer, commits, parts, coordinator_epoch, level in rows
            ]
        )  # fmt: skip

    return Step(f"write markers {rows}", build, version), None


def describe_transactions(seq):
    names = (*seq.names.ids, seq.names.missing, "")
    return Step("describe transactions", lambda _: DescribeTransactionsRequest(list(names)), 0)


def list_transactions(seq):
    version = seq.rng.randrange(3)
    states = seq.rng.choice(((), (), ("Ongoing",), ("CompleteAbort", "Empty"), ("Odd",)))
    start = seq.names.ids[0].rpartition("-")[0]
    filtered = seq.rng.randrange(2) == 0

    def build(side):
        request = ListTransactionsRequest(list(states))
        if filtered:
            request.producer_id_filters = list(side.producer_ids) or [1]
        if version == 2:
            request.transactional_id_pattern = f"{start}-.*"
        return request

    return Step(f"list transactions {states} {start}", build, version)


def describe_producers(seq, indexes=None):
    rows = seq.partitions() if indexes is None else [(seq.names.topic, each) for each in indexes]

    def build(_):
        return DescribeProducersRequest(
            [ProducersTopic(topic, mine) for topic, mine in by_topic(rows).items()]
        )

    return Step(f"describe producers {rows}", build, 0)


def find_coordinator(seq):
    version = seq.rng.randrange(1, 7)
    name = seq.name()

    def build(_):
        if version >= 4:
            return FindCoordinatorRequest("", 1, [name])
        return FindCoordinatorRequest(name, 1)

    return Step(f"find coordinator {name}", build, version)


def fetch(seq, isolation=None, version=None):
    rng = seq.rng
    version = rng.randrange(4, 19) if version is None else version
    isolation = rng.randrange(2) if isolation is None else isolation
    offset = rng.choice((0, 0, 0, 1, 2, 3))
    rows = [(seq.names.topic, each) for each in seq.names.partitions]

    def build(side):
        request = FetchRequest()
        request.max_wait_ms, request.min_bytes, request.max_bytes = 0, 0, 1 << 20
        request.isolation_level = isolation
        if version >= 7:
            request.session_epoch = -1
        request.topics = []
        for topic, indexes in by_topic(rows).items():
            row = FetchTopic()
            if version >= 13:
                row.topic_id = side.topic_id(topic)
            else:
                row.topic = topic
            for index in indexes:
                part = FetchPartition(index)
                part.fetch_offset, part.partition_max_bytes = offset, 1 << 20
                row.partitions = [*(row.partitions or []), part]
            request.topics.append(row)
        return request

    return Step(f"fetch isolation {isolation} from {offset}", build, version)


def list_offsets(seq, isolation=None, timestamp=None, version=None):
    rng = seq.rng
    version = rng.randrange(1, 12) if version is None else version
    isolation = rng.randrange(2) if isolation is None else isolation
    timestamp = rng.choice((_LATEST, _LATEST, _EARLIEST, 0)) if timestamp is None else timestamp
    if version >= 7 and rng.randrange(4) == 0:
        timestamp = _MAX_TIMESTAMP
    rows = [(seq.names.topic, each) for each in seq.names.partitions]

    def build(_):
        request = ListOffsetsRequest(-1)
        if version >= 2:
            request.isolation_level = isolation
        request.topics = []
        for topic, indexes in by_topic(rows).items():
            parts = []
            for index in indexes:
                part = ListOffsetsPartition(index)
                part.timestamp = timestamp
                parts.append(part)
            request.topics.append(ListOffsetsTopic(topic, parts))
        return request

    return Step(f"list offsets isolation {isolation} {timestamp}", build, version)


def offset_fetch(seq, stable=None, version=None):
    rng = seq.rng
    version = rng.randrange(1, 10) if version is None else version
    stable = rng.randrange(2) == 0 if stable is None else stable
    groups = seq.names.groups
    rows = by_topic([(seq.names.topic, each) for each in seq.names.partitions])

    def build(_):
        request = OffsetFetchRequest()
        if version >= 8:
            request.groups = []
            for group in groups:
                row = OffsetFetchRequestGroup(group)
                row.topics = [OffsetFetchRequestTopics(t, partition_indexes=i) for t, i in rows.items()]
                request.groups.append(row)
        else:
            request.group_id = groups[0]
            request.topics = [OffsetFetchRequestTopic(t, i) for t, i in rows.items()]
        if version >= 7:
            request.require_stable = stable
        return request

    return Step(f"offset fetch stable {stable}", build, version)


def delete_groups(seq):
    group = seq.group()
    version = seq.rng.randrange(3)
    return Step(f"delete group {group}", lambda _: DeleteGroupsRequest([group]), version)


def offset_delete(seq):
    group, rows = seq.group(), seq.partitions()

    def build(_):
        return OffsetDeleteRequest(
            group,
            [
                OffsetDeleteRequestTopic(t, [OffsetDeleteRequestPartition(i) for i in mine])
                for t, mine in by_topic(rows).items()
            ],
        )

    return Step(f"offset delete {group} {rows}", build, 0)


def _alone(make):
    return lambda seq: (make(seq), None)


KINDS = (
    (init, 5), (add_partitions, 8), (add_offsets, 4), (produce, 20), (txn_offset_commit, 9),
    (offset_commit, 2), (end, 12), (write_markers, 3), (_alone(describe_transactions), 2),
    (_alone(list_transactions), 1), (_alone(describe_producers), 3), (_alone(find_coordinator), 1),
    (_alone(fetch), 4), (_alone(list_offsets), 3), (_alone(offset_fetch), 3),
    (_alone(delete_groups), 1), (_alone(offset_delete), 1),
)  # fmt: skip


# Answers as values


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
