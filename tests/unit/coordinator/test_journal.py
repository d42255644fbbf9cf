"""Writes to the log, and how they end."""

import pytest

from minikafka.common.errors import (
    CoordinatorNotAvailableError,
    ErrorCode,
    NotCoordinatorError,
    UnknownServerError,
)
from minikafka.records.builder import NewRecord

RECORD = NewRecord(0, b"k", b"v")


def journal_of(world):
    return world.groups.shards[0].journal


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
