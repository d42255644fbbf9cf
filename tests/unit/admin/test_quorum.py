"""The leader of the quorum by one request."""

from types import SimpleNamespace

import pytest

from minikafka.admin.client import AdminError
from minikafka.admin.quorum import QuorumLeader, read_quorum_leader


def answer(code=0, partition_code=0, leader=3):
    partition = SimpleNamespace(error_code=partition_code, leader_id=leader, leader_epoch=7)
    return SimpleNamespace(error_code=code, topics=[SimpleNamespace(partitions=[partition])])


def asked(response):
    return read_quorum_leader(SimpleNamespace(ask=lambda _: response))


def test_the_leader_and_its_epoch():
    assert asked(answer()) == QuorumLeader(3, 7)
    assert str(asked(answer())) == "node 3 leads the quorum, epoch 7"


@pytest.mark.parametrize(
    "response",
    [
        answer(code=7),
        answer(partition_code=6),
        answer(leader=-1),
        SimpleNamespace(error_code=0, topics=[]),
    ],
)
def test_a_cluster_that_does_not_tell_it_has_no_known_leader(response):
    assert asked(response) is None


def test_a_cluster_that_does_not_answer_has_no_known_leader():
    def fail(_):
        raise AdminError("no answer")

    assert read_quorum_leader(SimpleNamespace(ask=fail)) is None
