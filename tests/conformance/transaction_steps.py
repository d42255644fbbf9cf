"""Random requests about transactions, in every version, valid and invalid."""

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
from minikafka.records.builder import BatchOptions, NewRecord, build_batch

_NOW_MS = time.time_ns() // 1_000_000
LATEST, _EARLIEST = -1, -2


class Producer(NamedTuple):
    """A producer as a step names it: the number of its id (see `Side`), and its epoch."""

    number: int
    epoch: int


NO_PRODUCER = Producer(-1, -1)
STRANGER = Producer(-2, 0)


class Step(NamedTuple):
    """A request: `build(side)` makes it, `version` is that of the API."""

    text: str
    build: object
    version: int


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
        producer = NO_PRODUCER if rng.randrange(2) or version < 3 else seq.producer(name)
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
    rows = [
        (name, seq.producer(name), seq.partitions(), rng.randrange(3) == 0)
        for name in (rng.sample(seq.names.ids, count) if count > 1 else [seq.name()])
    ]

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
            producer, sequence = NO_PRODUCER, -1
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
        if min(producer) < 0 and producer != STRANGER and rng.randrange(20):
            producer = STRANGER
        if producer.number in [each[0].number for each in rows]:
            continue  # as a coordinator, which sends one marker for a transaction
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
    timestamp = rng.choice((LATEST, LATEST, _EARLIEST, 0)) if timestamp is None else timestamp
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
                row.topics = [
                    OffsetFetchRequestTopics(t, partition_indexes=i) for t, i in rows.items()
                ]
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
