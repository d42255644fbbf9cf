"""Whole nodes with a topic, for tests of single APIs."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.messages.fetch import FetchResponse
from tests.worlds.sim_world import BY_NAME, create_topic, fetch_request, produce, started_cluster


@pytest.fixture
def one():
    """One node, and a topic with three batches of two records."""
    cluster = started_cluster(1)
    create_topic(cluster, "t")
    client = cluster.client()
    for number in range(3):
        produce(client, "t", b"%da" % number, b"%db" % number)
    return cluster


@pytest.fixture
def note_answers(monkeypatch):
    """Note what the lanes of a class answer."""

    def note(kind):
        answers = []
        answer = kind.answer

        def noted(self, frame, correlation_id):
            answers.append(answer(self, frame, correlation_id))
            return answers[-1]

        monkeypatch.setattr(kind, "answer", noted)
        return answers

    return note


@pytest.fixture
def client(one):
    return one.client()


def in_session(client, session_id, epoch, offset=None, replica_id=-1):
    """What a session is told that names one partition, or none."""
    request = fetch_request("t", offset or 0, session_id=session_id, session_epoch=epoch)
    request.replica_id = replica_id
    if offset is None:
        request.topics = []
    answer = client.ask(request, FetchResponse, version=BY_NAME)
    assert answer.error_code == ErrorCode.NONE
    return answer.session_id, [each for topic in answer.responses for each in topic.partitions]
