"""Truncation of a follower whose producers take several steps to load."""

import pytest

from minikafka.common.environment import RETRY_MS
from minikafka.common.faults import OutOfFilesError, StorageFault
from minikafka.log import unified_log
from minikafka.log.directories import log_directory
from minikafka.log.producers import producer_loading
from minikafka.log.segment.segment import Segment
from minikafka.messages.fetch import EpochEndOffset
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.records.errors import CorruptRecordsError
from minikafka.replica.partition_fetch_state import FetchState
from minikafka.replica.truncation import is_loading, truncate_replica
from minikafka.sim.world.sim_disk import SimDisk
from tests.unit.replica.fetcher_world import BACKOFF_MS, FetcherWorld, data_of
from tests.unit.replica.managed_world import ManagedWorld


@pytest.fixture
def world(monkeypatch):
    monkeypatch.setattr(producer_loading, "BATCHES_A_SLICE", 4)
    return FetcherWorld()


def fill(log, now, count=30, epoch=0):
    """Batches of one record, all in an open transaction that started at offset 0."""
    for number in range(count):
        options = BatchOptions(
            base_offset=log.log_end_offset, leader_epoch=epoch, producer_id=7, producer_epoch=0,
            base_sequence=number, is_transactional=True,
        )  # fmt: skip
        batch = build_batch([NewRecord(1000, None, b"v")], options)
        log.append_as_follower(memoryview(bytearray(batch)), leader_epoch=epoch, now=now)


def test_replica_is_not_fetched_while_its_producers_are_loaded(world):
    log = world.follow()
    fill(log, world.env.clock.now)
    world.fetcher.moved(world.key())
    world.respond(world.one(), data_of(diverging_epoch=EpochEndOffset(0, 20)))
    assert log.log_end_offset == 20
    assert is_loading(world.partitions[0])
    assert world.state() is FetchState.BACKING_OFF
    steps = 0
    while is_loading(world.partitions[0]):
        work = world.env.take_later()
        work()
        steps += 1
    assert steps == 5
    assert log.last_stable_offset == 0
    assert log.producers.producers[7].batches[-1].last_sequence == 19
    sent = world.one(BACKOFF_MS)
    (topic,) = sent.body.topics
    assert topic.partitions[0].fetch_offset == 20


def test_back_off_lasts_as_long_as_the_loading(world):
    log = world.follow()
    fill(log, world.env.clock.now)
    world.fetcher.moved(world.key())
    world.respond(world.one(), data_of(diverging_epoch=EpochEndOffset(0, 20)))
    world.env._later.clear()
    for _ in range(3):
        world.at(world.now_ms + BACKOFF_MS)
        world.env.timers.fire_due(world.now_ms)
        assert world.state() is FetchState.BACKING_OFF
    while log.loading is not None:
        log.load_slice()
    assert world.one(BACKOFF_MS).body.topics


def test_new_leader_epoch_does_not_end_the_loading(world):
    log = world.follow()
    fill(log, world.env.clock.now)
    world.fetcher.moved(world.key())
    world.respond(world.one(), data_of(diverging_epoch=EpochEndOffset(0, 20)))
    world.new_epoch(1)
    assert world.state() is FetchState.BACKING_OFF
    sent = world.one(2 * BACKOFF_MS)
    assert not is_loading(world.partitions[0])
    assert sent.body.topics[0].partitions[0].fetch_offset == 20
    assert log.log_end_offset == 20


def test_replica_leads_when_its_producers_are_complete(monkeypatch):
    monkeypatch.setattr(producer_loading, "BATCHES_A_SLICE", 4)
    managed = ManagedWorld()
    managed.start(
        managed.broker(1, port=1), managed.broker(2, port=2), managed.topic(), managed.put(2)
    )
    partition = managed.partition()
    fill(partition.log, managed.env.clock.now)
    truncate_replica(managed.env, partition, 20, managed.manager)
    managed.apply(managed.put(1, epoch=1))
    assert not partition.is_leader
    assert managed.led == [(partition.topic_partition, 2, 0)]
    managed.run(5000)
    assert not is_loading(partition)
    assert partition.is_leader
    assert managed.led[-1] == (partition.topic_partition, 1, 1)
    assert partition.log.producers.has_ongoing(7, 0)


def test_fault_while_loading_takes_the_directory_offline(world, monkeypatch):
    log = world.follow()
    fill(log, world.env.clock.now)
    truncate_replica(world.env, world.partitions[0], 20, world.faulted)
    fault = StorageFault("/d0", "broken")

    def broken(_):
        raise fault

    monkeypatch.setattr("minikafka.log.unified_log.next_slice", broken)
    world.run()
    assert world.faults == [fault]


_NOT_OF_THIS_DIRECTORY = pytest.mark.parametrize(
    "error",
    [OutOfFilesError("/d0", "Too many open files"), StorageFault("/other", "broken")],
    ids=["no descriptor", "another directory"],
)


@_NOT_OF_THIS_DIRECTORY
def test_the_rest_of_the_load_waits_for_descriptors(world, monkeypatch, error):
    log = world.follow()
    fill(log, world.env.clock.now)
    truncate_replica(world.env, world.partitions[0], 20, world.faulted)

    def fail(_):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(type(log), "reserve_files", fail)
        world.run()
        assert is_loading(world.partitions[0])
    world.run(RETRY_MS)
    assert not is_loading(world.partitions[0])
    assert log.producers.has_ongoing(7, 0)


@_NOT_OF_THIS_DIRECTORY
def test_a_load_that_fails_halfway_begins_again(world, monkeypatch, error):
    """A generator that has raised ends: the replica was never loaded, at the cost of a CPU."""
    log = world.follow()
    fill(log, world.env.clock.now)
    truncate_replica(world.env, world.partitions[0], 20, world.faulted)

    def fail(*_, **__):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(producer_loading, "_replay", fail)
        world.run()
        assert is_loading(world.partitions[0])
    world.run(RETRY_MS)
    assert not is_loading(world.partitions[0])
    assert log.producers.producers[7].batches[-1].last_sequence == 19
    assert world.faults == [error] * isinstance(error, StorageFault)


def test_stopped_replica_is_not_loaded_further(world):
    log = world.follow()
    fill(log, world.env.clock.now)
    truncate_replica(world.env, world.partitions[0], 20, world.faulted)
    world.partitions[0].stop()
    world.run()
    assert log.loading is not None
    assert world.env.take_later() is None


@pytest.mark.parametrize("offset", [0, 12])
@pytest.mark.parametrize("copies", [0, 30])
def test_the_former_start_offset_hides_no_record_of_an_unclean_leader(offset, copies):
    """Seed 140000234: after a crash the log began at 20, and lacked what the leader had below."""
    managed = ManagedWorld()
    managed.start(
        managed.broker(1, port=1), managed.broker(2, port=2), managed.topic(), managed.put(2)
    )
    partition, now = managed.partition(), managed.env.clock.now
    fill(partition.log, now)
    partition.log.update_high_watermark(30)
    partition.log.increment_log_start_offset(20)
    managed.logs.directory_of(partition.topic_partition).write_checkpoints()
    truncate_replica(managed.env, partition, offset, managed.manager)
    fill(partition.log, now, copies, epoch=1)
    for disk in managed.disks:
        disk.crash()
    managed.boot()
    log = managed.logs.get(partition.topic_partition)
    assert (log.log_start_offset, log.log_end_offset) == (offset, offset + copies)


def follower_from(start_offset, batch_ends):
    """A world with a log of 50 records in batches that begins at `start_offset`."""
    managed = ManagedWorld()
    managed.start(
        managed.broker(1, port=1), managed.broker(2, port=2), managed.topic(), managed.put(2)
    )
    log, now = managed.partition().log, managed.env.clock.now
    for end in batch_ends:
        options = BatchOptions(base_offset=log.log_end_offset, leader_epoch=3)
        records = [NewRecord(1000, None, b"v")] * (end - log.log_end_offset)
        batch = memoryview(bytearray(build_batch(records, options)))
        log.append_as_follower(batch, leader_epoch=3, now=now)
    log.update_high_watermark(log.log_end_offset)
    log.increment_log_start_offset(start_offset)
    managed.logs.directory_of(managed.partition().topic_partition).write_checkpoints()
    return managed


def after_a_crash(managed):
    name = managed.partition().topic_partition
    for disk in managed.disks:
        disk.crash()
    managed.boot()
    log = managed.logs.get(name)
    return log.log_start_offset, log.log_end_offset


@pytest.mark.parametrize("offset", [37, 39])
def test_the_log_ends_before_a_batch_that_it_begins_within(offset):
    """After a crash it began at `offset`, without the leader's records from 30 on."""
    managed = follower_from(38, (30, 40, 50))
    truncate_replica(managed.env, managed.partition(), offset, managed.manager)
    log = managed.partition().log
    assert (log.log_start_offset, log.log_end_offset) == (30, 30)
    assert after_a_crash(managed) == (30, 30)


@pytest.mark.parametrize("fails", [(SimDisk, "reserve_files"), (log_directory, "write_offsets")])
def test_without_descriptors_nothing_is_truncated(monkeypatch, fails):
    """The next try saved no start offset, or deleted records could be read again until then."""
    managed = follower_from(20, range(1, 31))
    partition = managed.partition()

    def fail(*_, **__):
        raise OutOfFilesError("/one", "Too many open files")

    with monkeypatch.context() as patch:
        patch.setattr(*fails, fail)
        with pytest.raises(OutOfFilesError):
            truncate_replica(managed.env, partition, 12, managed.manager)
    assert (partition.log.log_start_offset, partition.log.log_end_offset) == (20, 30)
    truncate_replica(managed.env, partition, 12, managed.manager)
    assert after_a_crash(managed) == (12, 12)


def test_a_segment_that_begins_at_the_offset_is_not_read(monkeypatch):
    """Damage in it took the directory offline, and again after each start."""
    managed = follower_from(0, (5, 10))
    log, now = managed.partition().log, managed.env.clock.now
    log.roll(now)
    fill(log, now, 2, epoch=3)
    locate = Segment.locate

    def damaged(segment, offset):
        if segment.base_offset == 10:
            raise CorruptRecordsError("damaged at byte 0")
        return locate(segment, offset)

    monkeypatch.setattr(Segment, "locate", damaged)
    truncate_replica(managed.env, managed.partition(), 10, managed.manager)
    assert log.log_end_offset == 10


def test_a_log_that_was_cut_already_does_not_begin_after_its_end(monkeypatch):
    managed = follower_from(20, range(1, 31))
    log = managed.partition().log

    def fail(*_, **__):
        raise OutOfFilesError("/one", "Too many open files")

    with monkeypatch.context() as patch:
        patch.setattr(unified_log, "write_epochs", fail)
        with pytest.raises(OutOfFilesError):
            truncate_replica(managed.env, managed.partition(), 12, managed.manager)
    assert log.log_start_offset <= log.log_end_offset == 12
