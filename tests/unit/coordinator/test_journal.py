"""Writes to the log, and how they end."""

from dataclasses import replace
from random import Random

import pytest

from minikafka.common.errors import (
    CoordinatorNotAvailableError,
    ErrorCode,
    NotCoordinatorError,
    UnknownServerError,
)
from minikafka.config.values import Config
from minikafka.records.builder import NewRecord
from minikafka.records.compression import Codec
from tests.worlds.group_world import LostAtAppend

RECORD = NewRecord(0, b"k", b"v")


def journal_of(world):
    return world.groups.shards[0].store.journal


def test_writes_are_decided_in_their_order(make_world):
    world = make_world(replicas=(1, 2))
    journal = journal_of(world)
    seen = []
    for number in range(3):
        journal.append(
            [RECORD],
            on_committed=lambda n=number: seen.append(n),
            on_decided=lambda code, n=number: seen.append((n, code)),
        )
    world.partition.follower_fetched(
        2, broker_epoch=1, fetch_offset=2, log_start_offset=0, leader_end_offset=3
    )
    journal.settle()
    assert seen == [0, (0, ErrorCode.NONE), 1, (1, ErrorCode.NONE)]


def test_write_without_followers_is_decided_at_once(world):
    write = journal_of(world).append([RECORD])
    assert write.code == ErrorCode.NONE


def test_write_that_is_decided_cannot_expire(world):
    write = journal_of(world).append([RECORD])
    write.expire()
    assert write.code == ErrorCode.NONE


def test_errors_of_the_log_are_told_in_terms_of_groups(make_world):
    world = make_world(replicas=(1, 2))
    journal = journal_of(world)
    with pytest.raises(UnknownServerError):
        journal.append([NewRecord(0, b"k", b"v" * (2 << 20))])
    world.partition.isr = world.partition.isr.__class__((1,))
    with pytest.raises(CoordinatorNotAvailableError):
        journal.append([RECORD])
    world.partition.leader = 2
    with pytest.raises(NotCoordinatorError):
        journal.append([RECORD])


def test_full_disk_takes_the_log_directory_offline(world):
    world.disk.fill()
    with pytest.raises(NotCoordinatorError):
        journal_of(world).append([RECORD])
    assert len(world.replicas.lost) == 1


@pytest.mark.parametrize("is_told", [True, False])
def test_an_append_that_ends_the_leadership_fails_at_once(world, is_told):
    journal = journal_of(world)
    seen = []
    LostAtAppend(world, is_told=is_told)
    with pytest.raises(NotCoordinatorError):
        journal.append([RECORD], on_decided=seen.append)
    assert (world.log.log_end_offset, seen, journal.is_waiting) == (1, [], False)


def test_a_write_into_a_closed_journal_is_decided_at_once(world):
    journal = journal_of(world)
    world.lead(leader=2)
    seen = []
    write = journal.expect(1, on_decided=seen.append)
    assert write.settled()
    assert (write.code, seen) == (ErrorCode.NOT_COORDINATOR, [ErrorCode.NOT_COORDINATOR])


@pytest.mark.parametrize("codec", ["NONE", "SNAPPY", "LZ4", "GZIP", "ZSTD"])
def test_batches_are_as_large_as_the_log_allows_and_no_larger(world, codec):
    world.config = Config({"offsets.topic.compression.codec": str(int(Codec[codec]))})
    journal = journal_of(world)
    rng = Random(1)
    records = [NewRecord(7, rng.randbytes(rng.randrange(30_000)), None) for _ in range(200)]
    batches = list(journal.batches(records, lambda each: each, 1_000))
    assert [each for batch in batches for each in batch] == records
    assert len(batches) in (3, 4)
    for batch in batches:
        assert journal.append(batch).code == ErrorCode.NONE


def test_a_batch_has_the_records_that_were_asked_for_and_a_large_one_is_alone(world):
    journal = journal_of(world)
    small, large = [RECORD] * 5, NewRecord(0, b"k" * (2 << 20), None)
    sizes = [len(each) for each in journal.batches([*small, large, *small], lambda each: each, 2)]
    assert sizes == [2, 2, 1, 1, 2, 2, 1]
    with pytest.raises(UnknownServerError):
        journal.append([large])


def test_a_batch_is_no_larger_than_a_segment(world):
    world.log.config = replace(world.log.config, segment_bytes=10_000)
    journal = journal_of(world)
    records = [NewRecord(0, bytes(900), None)] * 50
    assert [len(each) for each in journal.batches(records, lambda each: each, 50)] == [10] * 5
