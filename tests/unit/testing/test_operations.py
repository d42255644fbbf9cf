"""Operations of a test on a cluster whose brokers know different things."""

from contextlib import contextmanager

import pytest

from minikafka.admin.partition_states import PartitionState
from minikafka.common.ids import TopicPartition
from minikafka.testing import ClusterError, partitions
from minikafka.testing.operations import KafkaOperations

IN_SYNC = PartitionState(TopicPartition("t", 0), 1, 3, (1, 2), (1, 2), (), ())
SHRUNK = IN_SYNC._replace(isr=(1,))


class Brokers(KafkaOperations):
    """Two brokers; each answers what is next in its list, the last one again and again."""

    bootstrap_servers = "one:1,two:2"

    def __init__(self, answers):
        super().__init__()
        self.answers = answers

    def state_text(self):
        return ""

    def heal(self):
        pass

    @contextmanager
    def _asking(self, what, timeout_s=0.0, *, server=""):
        yield self.answers[server or "one:1"]


@pytest.fixture(autouse=True)
def answered(monkeypatch):
    def out_of_sync(answers, _names):
        state = answers[0] if len(answers) == 1 else answers.pop(0)
        return [] if state is IN_SYNC else [state]

    monkeypatch.setattr(partitions, "out_of_sync", out_of_sync)


def test_replicas_are_in_sync_when_every_broker_knows_it():
    brokers = Brokers({"one:1": [SHRUNK, IN_SYNC], "two:2": [SHRUNK, SHRUNK, SHRUNK, IN_SYNC]})
    brokers.wait_until_in_sync()
    assert brokers.answers == {"one:1": [IN_SYNC], "two:2": [IN_SYNC]}


def test_replicas_are_not_in_sync_while_a_broker_knows_better():
    brokers = Brokers({"one:1": [IN_SYNC], "two:2": [SHRUNK]})
    with pytest.raises(ClusterError, match=r"t-0 is not in sync after 0 s: replicas 1,2, ISR 1$"):
        brokers.wait_until_in_sync(timeout_s=0)
