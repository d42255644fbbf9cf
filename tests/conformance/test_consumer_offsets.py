"""A partition of `__consumer_offsets` that Apache Kafka 4.3.1 wrote is read, and written alike.

Recorded with offsets.topic.num.partitions=1: dynamic and static members, offsets of every version that
Kafka writes, offsets of a committed and an aborted transaction, deletions.
"""

from pathlib import Path
from random import Random

import pytest

from minikafka.common.clock import Now
from minikafka.common.environment import Environment
from minikafka.common.ids import TopicPartition, Uuid
from minikafka.config.broker import REQUEST_TIMEOUT_MS
from minikafka.coordinator.journal import Journal, JournalKeys
from minikafka.coordinator.loading import read_slice
from minikafka.group.group import GroupState
from minikafka.group.records import (
    OffsetRecord,
    group_key,
    group_value,
    offset_key,
    offset_value,
    parse_record,
)
from minikafka.group.replay import GroupReplay
from minikafka.log.config import LogConfig
from minikafka.log.recovery.log_loader import CheckpointedOffsets
from minikafka.log.unified_log import UnifiedLog
from minikafka.metadata.loader import MetadataLoader
from minikafka.metadata.partition_registration import PartitionRegistration
from minikafka.records.reader import read_batch
from minikafka.records.scan import split_batches
from minikafka.replica.partition import Partition
from minikafka.sim.world.sim_disk import SimDisk
from tests.worlds.broker_view import Faulted, Flushes, Proposals, local_broker

SEGMENT = Path(__file__).parent / "data" / "consumer_offsets" / "00000000000000000000.log"
NAME = TopicPartition("__consumer_offsets", 0)


@pytest.fixture(scope="module")
def replay():
    env = Environment(Random(1))
    disk = SimDisk("/d")
    disk.make_dir("o-0")
    disk.open(f"o-0/{SEGMENT.name}", create=True).append(SEGMENT.read_bytes())
    log = UnifiedLog.open(
        disk, "o-0", NAME, config=LogConfig(), checkpointed=CheckpointedOffsets(clean=False),
        now=Now(0, 0), rng=Random(1), topic_id=Uuid.of(7, 7),
    )  # fmt: skip
    partition = Partition(
        env,
        local_broker(MetadataLoader()),
        NAME,
        Uuid.of(7, 7),
        log,
        1,
        30_000,
        Proposals(),
        Flushes(),
    )
    partition.apply(
        PartitionRegistration(
            replicas=(1,), directories=(Uuid.of(0, 1),), isr=(1,), leader=1, leader_epoch=1,
            partition_epoch=1,
        )
    )  # fmt: skip
    keys = JournalKeys(REQUEST_TIMEOUT_MS)
    journal = Journal(env, partition, partition.view, keys, Faulted(), None)
    found = GroupReplay(journal, 0)
    while not read_slice(partition, found):
        pass
    return found


def test_members_and_their_assignments_are_read(replay):
    group = {group.group_id: group for group in replay.finished_groups()}["live"]
    assert (group.state, group.generation) == (GroupState.STABLE, 1)
    assert (group.protocol_type, group.protocol_name) == ("consumer", "range")
    leader, other = group.members.values()
    assert group.leader_id == leader.member_id
    assert (leader.assignment, other.assignment) == (b"first", b"second")
    assert (leader.group_instance_id, other.group_instance_id) == (None, "two")
    assert group.static_members == {"two": other.member_id}
    assert (leader.session_timeout_ms, leader.rebalance_timeout_ms) == (1_800_000, 300_000)
    assert leader.client_host == "/127.0.0.1"
    assert group.subscribed_topics() == {"tt"}


def test_group_that_its_members_left_is_read_as_empty(replay):
    group = {group.group_id: group for group in replay.finished_groups()}["gs"]
    assert (group.state, group.generation, group.members) == (GroupState.EMPTY, 2, {})


def test_last_commit_of_each_partition_is_read(replay):
    committed = replay.offsets["live"].committed["tt"]
    assert {index: (value.offset, value.metadata) for index, value in committed.items()} == {
        0: (190, "m19"),
        1: (191, "m19"),
    }


def test_offset_that_was_deleted_is_gone(replay):
    assert list(replay.offsets["simple"].committed["tt"]) == [1]
    assert replay.offsets["simple"].committed["tt"][1].expire_timestamp > 0


def test_deleted_group_is_gone(replay):
    assert "simple10" not in {group.group_id: group for group in replay.finished_groups()}


def test_only_the_committed_transaction_counts(replay):
    offsets = replay.offsets["eos"]
    assert offsets.committed["tt"][0].offset == 5
    assert not offsets.is_unstable("tt", 0)


def test_every_record_is_written_as_kafka_wrote_it():
    data = SEGMENT.read_bytes()
    kinds = dict.fromkeys(("offset", "group", "tombstone"), 0)
    for position, header in split_batches(data):
        if header.is_control:
            continue
        for record in read_batch(data, position, header):
            parsed = parse_record(record.key, record.value)
            if isinstance(parsed, OffsetRecord):
                key = parsed.key
                assert offset_key(key.group, key.topic, key.partition) == record.key
                written = None if parsed.value is None else offset_value(parsed.value)
                kinds["offset"] += 1
            else:
                assert group_key(parsed.key.group) == record.key
                written = None if parsed.value is None else group_value(parsed.value)
                kinds["group"] += 1
            assert written == record.value
            kinds["tombstone"] += written is None
    assert all(kinds.values()), kinds
