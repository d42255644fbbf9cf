"""The leader of the quorum, by the answers of all servers."""

import pytest

from minikafka.admin.client import AdminError
from minikafka.admin.quorum import QuorumInfo, QuorumReplica
from minikafka.common.ids import ZERO_UUID
from minikafka.harness.clusters import quorum
from minikafka.harness.clusters.quorum import QuorumClient, QuorumView


def described(leader, epoch, **ends):
    voters = [QuorumReplica(int(name[1:]), ZERO_UUID, end, -1, -1) for name, end in ends.items()]
    return QuorumInfo("c", leader, epoch, 7, voters, [], {})


@pytest.fixture
def answers(monkeypatch):
    """Server → its answer, or the error that it raises."""
    found = {}

    class Client:
        def __init__(self, server, **_):
            self.server = server
            self.closed = 0

        def close(self):
            self.closed += 1

    def describe(client):
        answer = found[client.server]
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(quorum, "AdminClient", Client)
    monkeypatch.setattr(quorum, "describe_quorum", describe)
    return found


def test_the_newest_epoch_counts(answers):
    """A broker that is cut off together with a former leader names that one."""
    answers["a:1"] = described(1, 4, n1=9, n2=3)
    answers["b:1"] = described(2, 5, n1=7, n2=8)
    answers["c:1"] = AdminError("no answer")
    client = QuorumClient("a:1,b:1,c:1")
    assert client.ask() == QuorumView(2, 5, 7, {1: 7, 2: 8})
    assert [each.closed for each in client._clients] == [0, 0, 1]
    client.close()
    assert [each.closed for each in client._clients] == [1, 1, 2]


def test_without_a_leader_there_is_no_answer(answers):
    answers["a:1"] = described(-1, 4)
    assert QuorumClient("a:1").ask() is None


@pytest.mark.parametrize(
    ("ends", "standby", "is_whole"),
    [({1: 9, 2: 7, 3: 8}, 3, True), ({1: 9, 2: 8, 3: 6}, 2, False), ({1: 9}, None, True)],
)
def test_the_standby_controller_has_the_longest_log_of_the_others(ends, standby, is_whole):
    view = QuorumView(1, 4, 7, ends)
    assert (view.standby, view.is_whole) == (standby, is_whole)
