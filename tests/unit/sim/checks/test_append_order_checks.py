"""Queued appends that are decided out of their order are found."""

from types import SimpleNamespace

import pytest

from minikafka.common.errors import KafkaStorageError
from minikafka.common.ids import TopicPartition
from minikafka.replica.queued_append import QueuedAppend
from minikafka.sim.checks.append_order_checks import AppendOrderChecks
from minikafka.sim.world.violation import Violation

NODE = SimpleNamespace(host="n1", config=SimpleNamespace(node_id=1))


@pytest.fixture
def partition():
    queued = [QueuedAppend(-1, 10) for _ in range(3)]
    return SimpleNamespace(topic_partition=TopicPartition("t", 0), queued=queued)


def decide(item):
    item.outcome = KafkaStorageError()


def test_appends_in_their_order_are_fine(partition):
    checks = AppendOrderChecks()
    checks.check(NODE, partition)
    while partition.queued:
        decide(partition.queued.pop(0))
        checks.check(NODE, partition)
    checks.check(NODE, partition)
    assert checks.coverage.checks == 3


def test_an_append_that_overtakes_another_one_is_found(partition):
    checks = AppendOrderChecks()
    checks.check(NODE, partition)
    decide(partition.queued.pop(0))
    decide(partition.queued.pop(1))
    with pytest.raises(Violation, match="t-0: n1 decided queued append 2 before append 1"):
        checks.check(NODE, partition)
