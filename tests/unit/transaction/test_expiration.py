"""Transactions time out, prepared ones never; ids expire when they are not used."""

import pytest

from minikafka.common.errors import TransactionalIdNotFoundError
from minikafka.transaction.expiration import remove_expired
from minikafka.transaction.request_rules import ProducerName
from tests.worlds.transaction_world import at

CHECK_MS = 10_000
DAY_MS = 24 * 3_600_000


@pytest.mark.parametrize(("version", "epoch"), [(0, 1), (2, 1)])
def test_a_transaction_that_is_open_for_too_long_is_aborted(make_world, version, epoch):
    world = make_world(version=version)
    world.ongoing(at(0), version=version)
    world.run(for_ms=60_000)
    assert world.state() == "Ongoing"
    world.run(for_ms=CHECK_MS)
    assert world.markers(world.one()) == [((100, epoch), False, [at(0)])]
    assert world.state() == "PrepareAbort"


def test_the_producer_of_an_aborted_transaction_is_fenced(world):
    producer = world.ongoing(at(0))
    world.run(for_ms=60_000 + CHECK_MS)
    world.write_all_markers()
    assert world.state() == "CompleteAbort"
    assert world.init() == ProducerName(producer.producer_id, 2)


@pytest.mark.parametrize("commit", [True, False])
def test_a_decided_outcome_has_no_timeout(world, commit):
    world.end(world.ongoing(at(0)), commit)
    before = len(world.records())
    world.run(for_ms=10 * 60_000)
    assert len(world.records()) == before
    assert world.state() == ("PrepareCommit" if commit else "PrepareAbort")


def test_a_new_partition_does_not_extend_the_timeout(world):
    producer = world.ongoing(at(0))
    world.run(for_ms=50_000)
    world.add(producer, at(1))
    world.run(for_ms=10_000 + CHECK_MS)
    assert world.state() == "PrepareAbort"


def test_the_timeout_counts_after_a_failover(world):
    world.ongoing(at(0))
    world.run(for_ms=50_000)
    world.fail_over()
    world.run(for_ms=20_000)
    assert world.state() == "PrepareAbort"


def test_the_timeout_counts_from_a_failover_to_a_clock_that_is_behind(world):
    """Seed 84000571: the clock of the former coordinator was a minute ahead."""
    world.ongoing(at(0))
    world.wall_ms -= 3_600_000
    world.fail_over()
    world.run(for_ms=50_000)
    assert world.state() == "Ongoing"
    world.run(for_ms=10_000 + CHECK_MS)
    assert world.state() == "PrepareAbort"


def test_an_unused_id_is_removed_with_a_tombstone(make_world):
    world = make_world(
        transactional_id_expiration_ms=50_000,
        transaction_remove_expired_transaction_cleanup_interval_ms=20_000,
    )
    world.init("empty")
    world.end(world.ongoing(at(0), name="done"), name="done")
    world.write_all_markers()
    world.ongoing(at(1), name="open")
    world.end(world.ongoing(at(1), name="ending"), name="ending")
    world.run(for_ms=40_000)
    assert len(world.shard.entries) == 4
    world.run(for_ms=20_000)
    assert sorted(world.shard.entries) == ["ending", "open"]
    gone = [record.transactional_id for record in world.records() if record.transaction is None]
    assert sorted(gone) == ["done", "empty"]
    world.fail_over()
    with pytest.raises(TransactionalIdNotFoundError):
        world.coordinator.describe("done")


def test_an_id_that_is_used_between_two_slices_is_kept(make_world):
    world = make_world(transactional_id_expiration_ms=DAY_MS)
    world.init("used")
    world.at(world.env.clock.monotonic_ms + 2 * DAY_MS)
    work = remove_expired(world.shard, DAY_MS)
    next(work)  # It has found the id.
    producer = world.init("used")
    list(work)
    assert world.entry("used").current.producer_epoch == producer.epoch


def test_an_id_is_kept_until_its_tombstone_is_committed(make_world):
    world = make_world(
        replicas=(1, 2),
        transactional_id_expiration_ms=50_000,
        transaction_remove_expired_transaction_cleanup_interval_ms=20_000,
    )
    world.replicate()
    world.init()
    world.run(for_ms=60_000)
    assert world.entry().pending.state.label == "Dead"
    world.replicate()
    assert world.shard.entries == {}
    assert world.coordinator.memory.held_bytes == 0


def test_ids_expire_whatever_the_size_of_their_names(make_world):
    world = make_world()
    for number in range(100):
        world.init(f"{number:05}" + 15_000 * "x")
    world.run(8 * DAY_MS)
    assert not world.shard.entries
    assert world.coordinator.memory.held_bytes == 0


def test_an_id_whose_tombstone_cannot_be_written_can_be_used(make_world):
    world = make_world(
        replicas=(1, 2),
        transactional_id_expiration_ms=50_000,
        transaction_remove_expired_transaction_cleanup_interval_ms=20_000,
    )
    world.replicate()
    world.init()
    world.partition.min_isr = 3
    world.run(for_ms=60_000)
    assert world.entry().pending is None
    world.partition.min_isr = 1
    assert world.init().epoch == 1
