"""Records without a client library: append them, and read them, by Kafka's protocol."""

import itertools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any, NamedTuple, TypeVar

from minikafka.admin.client import AdminClient, AdminError, BrokerConnection, check
from minikafka.common.errors import ErrorCode, is_retriable
from minikafka.common.file_slice import FileSlice
from minikafka.common.ids import ZERO_UUID, TopicPartition, Uuid
from minikafka.messages.fetch import FetchPartition, FetchRequest, FetchTopic, PartitionData
from minikafka.messages.find_coordinator import FindCoordinatorRequest
from minikafka.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from minikafka.messages.metadata import MetadataRequest, MetadataRequestTopic
from minikafka.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
)
from minikafka.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from minikafka.records.builder import NewRecord, build_batch
from minikafka.records.reader import read_batch
from minikafka.records.scan import split_batches
from minikafka.testing.partitioner import partition_of_key
from minikafka.testing.values import Deadline, KafkaRecord, Message, Value

_CLIENT_ID = "minikafka-testing"
_ALL_REPLICAS = -1
_FETCH_BYTES = 8 << 20
_KNOWN_EVERY_S = 0.002
_NO_SESSION = -1
_CONSUMER = -1
"""The replica id of clients, which must not see what may not be committed."""
_LATEST, _EARLIEST = -1, -2
_GROUP = 0
_T = TypeVar("_T")


def await_deletion(client: AdminClient, topics: Sequence[str], deadline: Deadline) -> None:
    """Wait until a broker knows none of these topics.

    Raises:
        AdminError: it does before the deadline.
    """
    request = MetadataRequest(
        topics=[MetadataRequestTopic(name=topic) for topic in topics],
        allow_auto_topic_creation=False,
    )
    while any(it.error_code == ErrorCode.NONE for it in client.ask(request).topics):
        if not deadline.wait(_KNOWN_EVERY_S):
            raise AdminError("it still has topics that were deleted")


def produce(
    client: AdminClient,
    topic: str,
    messages: Sequence[Message],
    *,
    partition: int | None,
    headers: Mapping[str, Value],
    deadline: Deadline,
) -> list[KafkaRecord]:
    """Append records; return them with their offsets, in the order given.

    Raises:
        AdminError: they were not acknowledged.
    """
    now_ms = int(time.time() * 1000)
    tags = tuple((name, _bytes(value)) for name, value in headers.items())
    partitions = partition_count(client, topic)
    turn = itertools.count()
    batches: dict[int, list[tuple[int, NewRecord]]] = {}
    for place, message in enumerate(messages):
        key, value = message if isinstance(message, tuple) else (None, message)
        record = NewRecord(now_ms, _bytes(key), _bytes(value), tags)
        if partition is not None:
            chosen = partition
        elif record.key is not None:
            chosen = partition_of_key(record.key, partitions)
        else:
            chosen = next(turn) % partitions
        batches.setdefault(chosen, []).append((place, record))
    done: dict[int, KafkaRecord] = {}
    for number, rows in batches.items():
        at = TopicPartition(topic, number)
        first = _append(client, at, [record for _, record in rows], deadline)
        for offset, (place, it) in enumerate(rows, first):
            done[place] = KafkaRecord(
                topic, number, offset, it.timestamp, it.key, it.value, it.headers
            )
    return [done[place] for place in sorted(done)]


def _bytes(value: Value) -> bytes | None:
    return value.encode() if isinstance(value, str) else value


def read_topic(
    client: AdminClient,
    topic: str,
    partition: int | None,
    starts: Mapping[int, int],
    deadline: Deadline,
    *,
    committed: bool,
) -> list[KafkaRecord]:
    """Return the records of a topic or of one partition, from given offsets on.

    Raises:
        AdminError: a partition cannot be read.
    """
    every = range(partition_count(client, topic)) if partition is None else (partition,)
    return [
        record
        for number in every
        for record in _read(
            client,
            TopicPartition(topic, number),
            deadline,
            start=starts.get(number, 0),
            committed=committed,
        )
    ]


def end_offsets(client: AdminClient, topic: str, deadline: Deadline) -> dict[int, int]:
    """Return the high watermarks of a topic by partition; empty if it does not exist.

    Raises:
        AdminError: a partition has no leader.
    """
    try:
        partitions = partition_count(client, topic)
    except AdminError as error:
        if error.code != ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
            raise
        return {}
    return {
        number: _offset(client, TopicPartition(topic, number), _LATEST, deadline, committed=False)
        for number in range(partitions)
    }


def partition_count(client: AdminClient, topic: str) -> int:
    """Return the number of partitions of a topic.

    Raises:
        AdminError: the topic does not exist.
    """
    return len(_leaders(client, topic))


def await_topic(client: AdminClient, topic: str, partitions: int, deadline: Deadline) -> None:
    """Wait until a broker serves a topic: it knows so many partitions and their leaders.

    Raises:
        AdminError: it does not before the deadline.
    """
    while True:
        try:
            leaders = _leaders(client, topic)
        except AdminError as error:
            if error.code != ErrorCode.UNKNOWN_TOPIC_OR_PARTITION or deadline.is_over:
                raise
            leaders = {}
        if len(leaders) >= partitions and all(it.address for it in leaders.values()):
            return
        if not deadline.wait(_KNOWN_EVERY_S):
            raise AdminError("it has partitions without a leader")


def _append(
    client: AdminClient, at: TopicPartition, records: Sequence[NewRecord], deadline: Deadline
) -> int:
    """Append a batch with acks=all; return the offset of its first record.

    It is tried again after errors that mean that nothing was appended.

    Raises:
        AdminError: it was refused, or the answer is missing: the records may have been appended.
    """
    batch = build_batch(records)

    def attempt() -> int:
        leader = _leader(client, at)
        data = TopicProduceData(
            at.topic, leader.topic_id, [PartitionProduceData(at.partition, memoryview(batch))]
        )
        request = ProduceRequest(
            acks=_ALL_REPLICAS, timeout_ms=int(deadline.left_s * 1000), topic_data=[data]
        )
        answer = _ask_once(client, at, leader, request, deadline)
        result = answer.responses[0].partition_responses[0]
        check(result.error_code, result.error_message)
        return int(result.base_offset)

    return _repeat(attempt, deadline)


def _read(
    client: AdminClient, at: TopicPartition, deadline: Deadline, *, start: int = 0, committed: bool
) -> Iterator[KafkaRecord]:
    """Yield the records from an offset to the end that consumers see at the time of the call.

    If only `committed` ones are wanted, those of aborted transactions are left out.

    Raises:
        AdminError: the partition cannot be read.
    """
    position = max(start, _offset(client, at, _EARLIEST, deadline, committed=committed))
    end = _offset(client, at, _LATEST, deadline, committed=committed)
    while position < end:
        records, following = _fetch(client, at, position, deadline, committed=committed)
        yield from (record for record in records if record.offset < end)
        if following == position:
            return
        position = following


def _offset(
    client: AdminClient, at: TopicPartition, timestamp: int, deadline: Deadline, *, committed: bool
) -> int:
    def attempt() -> int:
        partition = ListOffsetsPartition(at.partition, timestamp=timestamp)
        request = ListOffsetsRequest(
            replica_id=_CONSUMER,
            isolation_level=int(committed),
            topics=[ListOffsetsTopic(at.topic, [partition])],
        )
        answer = client.ask_broker(_leader(client, at).node_id, request)
        found = answer.topics[0].partitions[0]
        check(found.error_code)
        return int(found.offset)

    return _repeat(attempt, deadline)


def committed_offsets(
    client: AdminClient, group: str, topic: str, deadline: Deadline
) -> dict[int, int]:
    """Return the offsets that a group has committed for a topic, by partition.

    Raises:
        AdminError: the coordinator does not answer.
    """
    leaders = _leaders(client, topic)
    topic_id = next((it.topic_id for it in leaders.values()), ZERO_UUID)
    request = OffsetFetchRequest(
        groups=[
            OffsetFetchRequestGroup(
                group, topics=[OffsetFetchRequestTopics(topic, topic_id, sorted(leaders))]
            )
        ]
    )

    def attempt() -> dict[int, int]:
        found = client.ask_broker(_coordinator(client, group), request).groups[0]
        check(found.error_code)
        return {
            it.partition_index: it.committed_offset
            for each in found.topics
            for it in each.partitions
            if it.committed_offset >= 0
        }

    return _repeat(attempt, deadline)


def _coordinator(client: AdminClient, group: str) -> int:
    answer = client.ask(FindCoordinatorRequest(key_type=_GROUP, coordinator_keys=[group]))
    found = answer.coordinators[0]
    check(found.error_code, found.error_message)
    return int(found.node_id)


class _Leader(NamedTuple):
    """The leader of a partition; `address` is None if it has none."""

    node_id: int
    address: tuple[str, int] | None
    topic_id: Uuid


def _leaders(client: AdminClient, topic: str) -> Mapping[int, _Leader]:
    request = MetadataRequest(
        topics=[MetadataRequestTopic(name=topic)], allow_auto_topic_creation=False
    )
    answer = client.ask(request)
    found = answer.topics[0]
    if found.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
        raise AdminError(f"there is no topic {topic}", found.error_code)
    check(found.error_code)
    addresses = {it.node_id: client.address_of(it.host, it.port) for it in answer.brokers}
    return {
        it.partition_index: _Leader(it.leader_id, addresses.get(it.leader_id), found.topic_id)
        for it in found.partitions
    }


def _leader(client: AdminClient, at: TopicPartition) -> _Leader:
    leaders = _leaders(client, at.topic)
    leader = leaders.get(at.partition)
    if leader is None:
        raise AdminError(f"topic {at.topic} has {len(leaders)} partitions, no {at.partition}")
    if leader.address is None:
        raise AdminError(f"{at} has no leader", ErrorCode.LEADER_NOT_AVAILABLE)
    return leader


def _ask_once(
    client: AdminClient, at: TopicPartition, leader: _Leader, request: Any, deadline: Deadline
) -> Any:
    """Ask a leader on a new connection, since a kept one may have been closed meanwhile.

    Raises:
        AdminError: it cannot be reached, which may pass, or does not answer, which is final.
    """
    assert leader.address is not None
    try:
        connection = BrokerConnection(*leader.address, _CLIENT_ID, deadline.left_s, client.security)
    except OSError as error:
        why = f"the leader of {at} cannot be reached: {error}"
        raise AdminError(why, ErrorCode.NETWORK_EXCEPTION) from None
    with closing(connection):
        try:
            return connection.ask(request, timeout_s=deadline.left_s)
        except OSError as error:
            raise AdminError(f"no answer from the leader of {at}: {error}") from None


def _repeat(attempt: Callable[[], _T], deadline: Deadline) -> _T:
    """Try again after errors that pass."""
    while True:
        try:
            return attempt()
        except AdminError as error:
            if not _is_passing(error) or not deadline.wait():
                raise


def _is_passing(error: AdminError) -> bool:
    """True if the same request may succeed later."""
    is_unknown = error.code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    return error.code == ErrorCode.BROKER_NOT_AVAILABLE or (
        is_retriable(error.code) and not is_unknown
    )


def _fetch(
    client: AdminClient,
    at: TopicPartition,
    position: int,
    deadline: Deadline,
    *,
    committed: bool,
) -> tuple[list[KafkaRecord], int]:
    """Return records from `position` on, and the offset after the last batch."""

    def attempt() -> tuple[list[KafkaRecord], int]:
        leader = _leader(client, at)
        wanted = FetchPartition(
            at.partition, fetch_offset=position, partition_max_bytes=_FETCH_BYTES
        )
        request = FetchRequest(
            max_wait_ms=0,
            max_bytes=_FETCH_BYTES,
            isolation_level=int(committed),
            session_epoch=_NO_SESSION,
            topics=[FetchTopic(at.topic, leader.topic_id, [wanted])],
        )
        answer = client.ask_broker(leader.node_id, request)
        check(answer.error_code)
        found = answer.responses[0].partitions[0]
        check(found.error_code)
        return _decoded(at, found, position)

    return _repeat(attempt, deadline)


def _decoded(
    at: TopicPartition, found: PartitionData, position: int
) -> tuple[list[KafkaRecord], int]:
    data = found.records
    records: list[KafkaRecord] = []
    if data is None or isinstance(data, FileSlice):
        return records, position
    following = position
    # A producer's aborted transactions, the first one last.
    aborted: dict[int, list[int]] = {}
    for each in sorted(found.aborted_transactions or (), key=lambda it: -it.first_offset):
        aborted.setdefault(each.producer_id, []).append(each.first_offset)
    for start, header in split_batches(data):
        following = header.last_offset + 1
        begins = aborted.get(header.producer_id, [])
        is_aborted = bool(begins) and begins[-1] <= header.base_offset
        if header.is_control:
            # The control batch is the end of the transaction that began first.
            if is_aborted:
                aborted[header.producer_id].pop()
            continue
        if is_aborted and header.is_transactional:
            continue
        records += [
            KafkaRecord(
                at.topic, at.partition, it.offset, it.timestamp, it.key, it.value, it.headers
            )
            for it in read_batch(data, start, header)
            if it.offset >= position
        ]
    return records, following
