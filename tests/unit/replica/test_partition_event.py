"""What a partition tells those who watch it."""

import pytest

from minikafka.replica.partition_event import PartitionEvent


class Noted:
    """A watcher that notes what it hears."""

    def __init__(self):
        self.heard = []

    def changed(self, event):
        self.heard.append(event)

    def follower_moves(self, broker):
        self.heard.append(broker)


@pytest.fixture
def noted(world):
    world.lead()
    watcher = Noted()
    world.partition.watchers[watcher] = None
    return watcher


def test_an_append_and_a_commit_are_told_apart(world, noted):
    world.append(1)
    assert noted.heard == [PartitionEvent.APPENDED]
    world.fetch(2, 1)
    world.fetch(3, 1)
    assert noted.heard[1:] == [2, 3, PartitionEvent.COMMITTED]


def test_another_leader_epoch_is_news_for_every_fetch(world, noted):
    world.lead(leader_epoch=1, partition_epoch=1)
    assert PartitionEvent.ALL in noted.heard
