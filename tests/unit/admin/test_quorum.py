"""The leader of the quorum by one request."""

from types import SimpleNamespace

import pytest

from minikafka.admin.client import AdminError
from minikafka.admin.quorum import QuorumLeader, describe_quorum, read_quorum_leader
from minikafka.common.errors import ErrorCode, is_retriable
from minikafka.messages import describe_quorum as messages
from minikafka.metadata.topic_name import METADATA_TOPIC


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


class Failover:
    """A client whose cluster elects another leader between its requests."""

    endpoint_type = 2

    def __init__(self, *answers):
        self.answers = list(answers)

    def settle(self, ask, code_of):
        while is_retriable(code_of(response := ask())) and self.answers:
            pass
        return response

    def ask_active(self, _):
        return self.answers.pop(0)

    def ask(self, _):
        return SimpleNamespace(error_code=0, error_message=None, cluster_id="c")


def description(partition_code=0):
    partition = messages.DescribeQuorumResponsePartitionData(
        error_code=partition_code, leader_id=3, leader_epoch=7
    )
    topic = messages.DescribeQuorumResponseTopicData(METADATA_TOPIC, [partition])
    return messages.DescribeQuorumResponse(topics=[topic])


def test_a_description_is_asked_for_again_while_the_leader_changes():
    client = Failover(description(ErrorCode.NOT_LEADER_OR_FOLLOWER), description())
    assert describe_quorum(client).leader_id == 3
    with pytest.raises(AdminError):
        describe_quorum(Failover(description(ErrorCode.NOT_LEADER_OR_FOLLOWER)))
