"""The states of a shard."""

import logging
from types import SimpleNamespace

import pytest

from minikafka.common.errors import (
    CoordinatorLoadInProgressError,
    ErrorCode,
    NotCoordinatorError,
)
from minikafka.config.broker import REQUEST_TIMEOUT_MS
from minikafka.coordinator.journal import JournalKeys
from minikafka.coordinator.shard import Shard, ShardServices, ShardState
from minikafka.records.builder import NewRecord


class Content:
    """Content that becomes active, or settles, when it has taken over."""

    def __init__(self, shard, *, settles=False):
        self.shard = shard
        self.settles = settles
        self.released = 0

    def take_over(self, replay):
        assert replay.next_offset == self.shard.loaded_to
        yield 1
        if self.settles:
            self.shard.settle(lambda: self.shard.activate(1))
        else:
            self.shard.activate(2)

    def release(self):
        self.released += 1


class Replay:
    def __init__(self):
        self.next_offset = 0
        self.batches = 0

    def take_in(self, data, position, header):
        self.batches += 1


def shard_of(world):
    """A shard of its own on the partition of a world; leadership that ends closes it."""
    services = ShardServices(
        world.env, world.replicas, world.groups.view, JournalKeys(REQUEST_TIMEOUT_MS), "thing"
    )
    return Shard(services, world.partition, SimpleNamespace(lost=lambda shard: shard.close()))


def test_a_shard_serves_once_its_content_has_taken_over(world):
    world.commit({0: 1})
    shard, replay = shard_of(world), Replay()
    shard.load(Content(shard), replay)
    with pytest.raises(CoordinatorLoadInProgressError):
        shard.require_active()
    assert not shard.serves
    world.run()
    shard.require_active()
    assert shard.serves
    assert (replay.batches, shard.loaded_to) == (1, world.log.log_end_offset)
    assert shard.services.load_times.count == 1


def test_a_shard_that_settles_waits_for_the_commit_of_what_it_has_read(make_world):
    world = make_world(replicas=(1, 2))
    world.commit({0: 1})
    shard = shard_of(world)
    shard.load(Content(shard, settles=True), Replay())
    world.run()
    assert shard.state is ShardState.SETTLING
    with pytest.raises(CoordinatorLoadInProgressError):
        shard.require_active()
    world.replicate()
    shard.require_active()


@pytest.mark.parametrize("settles", [False, True])
def test_the_log_says_how_much_is_coordinated(world, caplog, settles):
    caplog.set_level(logging.INFO, "minikafka.coordinator")
    shard = shard_of(world)
    shard.load(Content(shard, settles=settles), Replay())
    world.run()
    found = [each.getMessage() for each in caplog.records if "thing" in each.getMessage()]
    count = "1 thing" if settles else "2 things"
    assert found == [
        f"[__consumer_offsets-0] coordinates {count} in epoch 0, loaded up to offset 0"
    ]


def test_a_shard_that_is_closed_fails_its_writes_and_drops_its_content(make_world):
    world = make_world(replicas=(1, 2))
    shard = shard_of(world)
    content = Content(shard)
    shard.load(content, Replay())
    world.run()
    write = shard.journal.append([NewRecord(0, b"k", b"v")])
    shard.close()
    shard.close()
    assert (write.code, content.released) == (ErrorCode.NOT_COORDINATOR, 1)
    with pytest.raises(NotCoordinatorError):
        shard.require_active()


def test_a_shard_whose_leadership_ends_while_it_loads_is_closed(world):
    shard = shard_of(world)
    shard.load(Content(shard), Replay())
    world.partition.leader = -1
    assert not shard.still_loads()
    assert shard.is_closed
    world.run()
    assert shard.is_closed


def test_a_shard_whose_leadership_has_ended_notices_it_at_the_next_request(world):
    shard = shard_of(world)
    shard.load(Content(shard), Replay())
    world.run()
    world.partition.leader = -1
    assert not shard.serves
    with pytest.raises(NotCoordinatorError):
        shard.require_active()
    assert shard.is_closed
