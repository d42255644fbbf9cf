"""The loading of a partition of an internal topic, with the group coordinator as its user."""

import pytest

from minikafka.common.environment import RETRY_MS
from minikafka.common.errors import CoordinatorLoadInProgressError, NotCoordinatorError
from minikafka.common.faults import StorageFault
from minikafka.records.builder import NewRecord
from tests.worlds.wire_world import take_turn


def test_groups_are_not_served_before_the_log_is_read(make_world):
    world = make_world(lead=False)
    with pytest.raises(NotCoordinatorError):
        world.commit({0: 1})
    world.lead()
    with pytest.raises(CoordinatorLoadInProgressError):
        world.commit({0: 1})
    world.run()
    assert world.commit({0: 1})[0].settled()


def test_long_log_is_read_in_several_steps(make_world):
    world = make_world()
    for number in range(1200):
        world.commit({0: number, 1: number}, metadata="x" * 20)
    assert world.log.size_bytes > 128 * 1024
    world.start()
    world.lead()
    steps = 0
    while world.groups.shards[0].shard.loaded_to == 0:
        take_turn(world.env, world.env.clock.monotonic_ms)
        steps += 1
    assert steps > 2
    assert world.committed() == {0: 1199, 1: 1199}


def test_the_high_watermark_may_move_during_a_load(make_world):
    """Seed 99701084: the group continued at an offset from the start of the log."""
    world = make_world()
    for number in range(1200):
        world.commit({0: number, 1: number}, metadata="x" * 20)
    world.start()
    world.lead()
    end_offset, world.log.high_watermark = world.log.high_watermark, 0
    now_ms = world.env.clock.monotonic_ms
    take_turn(world.env, now_ms)
    take_turn(world.env, now_ms)
    assert world.groups.shards[0].store.journal.is_waiting
    assert world.groups.shards[0].shard.loaded_to == 0
    world.log.high_watermark = end_offset
    world.run()
    assert world.committed() == {0: 1199, 1: 1199}


def test_corrupt_log_has_no_coordinator(world):
    world.groups.shards[0].store.journal.append([NewRecord(0, b"\x00\x02\x00\x05x", b"\x00\x00")])
    world.restart()
    with pytest.raises(NotCoordinatorError):
        world.committed()


def test_a_damaged_log_is_reported_until_another_replica_leads(world):
    """That may come into the ISR later. An operator may bring the file back, too."""
    world.commit({0: 5})
    world.run()
    path = "o-0/00000000000000000000.log"
    world.log.close()
    world.disk.content(path)[-1] ^= 1
    world.log = world.open_log()
    world.log.high_watermark = world.log.log_end_offset
    world.restart()
    world.run(2_500)
    assert len(world.replicas.damages) == 3
    partition, error = world.replicas.damages[0]
    assert partition is world.partition
    assert f"{path}: damaged at byte 0, offset 0" in str(error)
    world.disk.content(path)[-1] ^= 1
    world.run(1_000)
    assert world.committed() == {0: 5}


def test_a_damaged_log_that_is_led_elsewhere_is_not_read_again(world):
    world.commit({0: 5})
    world.run()
    world.log.close()
    world.disk.content("o-0/00000000000000000000.log")[-1] ^= 1
    world.log = world.open_log()
    world.log.high_watermark = world.log.log_end_offset
    world.restart()
    world.partition.leader = 2
    world.run(10_000)
    assert len(world.replicas.damages) == 1
    assert world.groups.shards == {}


def test_the_time_of_a_load_is_kept(make_world):
    world = make_world()
    times = world.groups.load_times
    assert (times.count, times.longest_ms) == (1, 0)
    for number in range(1200):
        world.commit({0: number, 1: number}, metadata="x" * 20)
    world.start()
    times = world.groups.load_times
    assert (times.count, times.average_ms) == (0, 0.0)
    world.lead()
    now_ms = began_ms = world.env.clock.monotonic_ms
    while world.groups.shards[0].shard.loaded_to == 0:
        now_ms += 5
        world.at(now_ms)
        take_turn(world.env, now_ms)
    assert times.count == 1
    assert 10 <= times.longest_ms == times.average_ms <= now_ms - began_ms
    times.add(0)
    assert times.average_ms == times.longest_ms / 2


def test_a_load_outlives_the_failure_of_another_directory(make_world, monkeypatch):
    """A file of that directory was to be synced and closed, to free its descriptor."""
    world = make_world()
    world.commit({0: 5})
    world.run()
    world.start()
    faults = []

    def fail(*_, **__):
        raise StorageFault("/other", "broken")

    with monkeypatch.context() as patch:
        patch.setattr(world.replicas, "take_offline", faults.append)
        patch.setattr(type(world.log), "read", fail)
        world.lead()
        world.run()
    assert [fault.log_dir for fault in faults] == ["/other"]
    world.run(RETRY_MS)
    assert world.committed() == {0: 5}
