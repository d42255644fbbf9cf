"""The memory bound rejects what would add more, and nothing that ends a transaction."""

import pytest

from minikafka.common.errors import CoordinatorNotAvailableError
from tests.worlds.transaction_world import at


@pytest.fixture
def full(make_world):
    world = make_world(transaction_coordinator_memory_bytes=1 << 20)
    world.open = world.ongoing(at(0), name="open")
    world.coordinator.memory.held_bytes += (1 << 20) - world.coordinator.memory.held_bytes
    return world


def test_a_new_id_is_rejected_with_a_retriable_error(full):
    with pytest.raises(CoordinatorNotAvailableError):
        full.init("new")
    assert "new" not in full.shard.entries


def test_more_partitions_are_rejected(full):
    with pytest.raises(CoordinatorNotAvailableError):
        full.add(full.open, at(1), name="open")
    assert full.entry("open").pending is None
    assert full.entry("open").current.partitions == {at(0)}


def test_a_transaction_can_always_end(full):
    full.end(full.open, name="open")
    full.write_all_markers()
    assert full.state("open") == "CompleteCommit"


def test_what_is_held_follows_the_transactions(world):
    memory = world.coordinator.memory
    producer = world.init()
    empty = memory.held_bytes
    world.add(producer, at(0), at(1))
    assert memory.held_bytes > empty
    world.end(producer)
    world.write_all_markers()
    assert memory.held_bytes == empty
    world.lead(leader=2)
    world.run()
    assert memory.held_bytes == 0
