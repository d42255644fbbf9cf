"""D1: leaders, ISR and ELR from the first broker that answers."""

import pytest

from minikafka.admin.client import AdminError
from minikafka.admin.partition_states import PartitionState
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from minikafka.harness.watch import describer as describer_module
from minikafka.harness.watch.describer import Describer, PartitionView, UnsupportedError


@pytest.fixture
def answers(monkeypatch):
    """The brokers' answers, in turn: states or an error."""
    found = []

    def read(_client, _topics):
        answer = found.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(describer_module, "read_leaders", read)
    return found


def state(topic, partition, leader):
    return PartitionState(TopicPartition(topic, partition), leader, 4, (1, 2, 3), (3, 1), (2,), ())


def test_partitions_of_several_topics_are_numbered_consecutively(answers):
    answers.append([state("t", 1, 3), state("u", 0, -1)])
    found = Describer("h:1", ["t", "u"]).ask(2)
    assert list(found) == [1, 2]
    assert found[1] == PartitionView(
        leader=3, replicas=(1, 2, 3), isr=(1, 3), elr=(2,), last_known_elr=()
    )
    assert found[2].leader is None
    assert found[2].as_json() == {"leader": None, "isr": (1, 3), "elr": (2,), "last_known_elr": ()}


def test_a_silent_broker_is_replaced_by_the_next(answers):
    answers += [AdminError("no answer"), [state("t", 0, 1)]]
    asked = Describer("h:1,h:2", ["t"])
    assert asked.ask(1) is None
    assert asked._servers == ["h:2", "h:1"]
    assert asked.ask(1)[0].leader == 1


def test_a_cluster_without_the_request_is_reported(answers):
    answers.append(AdminError("no common version", ErrorCode.UNSUPPORTED_VERSION))
    with pytest.raises(UnsupportedError):
        Describer("h:1", ["t"]).ask(1)
