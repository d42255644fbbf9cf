"""Elections in as many requests as they take."""

import pytest

from minikafka.admin.client import AdminError
from minikafka.admin.elections import Refusal, elect_leaders
from minikafka.common.election_type import ElectionType
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from minikafka.messages.elect_leaders import ElectLeadersRequest
from tests.worlds.fake_elections import LIMIT, ElectingCluster

PREFERRED, UNCLEAN = ElectionType.PREFERRED, ElectionType.UNCLEAN
NEW_TYPES = [kind for kind in ElectionType if kind > UNCLEAN]


@pytest.fixture
def cluster():
    return ElectingCluster()


def many(count, topic="t"):
    return [(topic, index) for index in range(count)]


def wanted(names):
    return {TopicPartition(*name): None for name in names}


def test_each_partition_has_its_outcome(cluster):
    """A1."""
    cluster.answers["t", 1] = (ErrorCode.ELECTION_NOT_NEEDED, "why")
    cluster.answers["u", 0] = (ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE, None)
    assert elect_leaders(cluster, PREFERRED, wanted([("t", 0), ("t", 1), ("u", 0)])) == {
        TopicPartition("t", 0): None,
        TopicPartition("t", 1): Refusal(84, "why"),
        TopicPartition("u", 0): Refusal(80, "The preferred leader is not available."),
    }


@pytest.mark.parametrize(
    ("count", "sizes"), [(0, []), (1, [1]), (1000, [1000]), (1001, [1000, 1]), (2500, [1000] * 3)]
)
def test_requests_are_split_at_the_limit(cluster, count, sizes):
    """A5."""
    outcomes = elect_leaders(cluster, UNCLEAN, wanted(many(count)))
    asked = cluster.elections()
    assert [len(part) for part in asked] == [
        *sizes[:-1],
        *([count % LIMIT or LIMIT] if sizes else []),
    ]
    assert [name for part in asked for name in part] == many(count)
    assert len(outcomes) == count
    assert not any(outcomes.values())


def test_partitions_that_a_server_puts_off_are_requested_again_by_name(cluster):
    """A5."""
    cluster.serves = [2]
    outcomes = elect_leaders(cluster, UNCLEAN, wanted(many(5)))
    assert cluster.elections() == [many(5), many(5)[2:], many(5)[4:]]
    assert not any(outcomes.values())


def test_a_server_that_decides_nothing_is_not_asked_again(cluster):
    """A5."""
    cluster.serves = [2, 0]
    outcomes = elect_leaders(cluster, UNCLEAN, wanted(many(4)))
    assert cluster.elections() == [many(4), many(4)[2:]]
    codes = [0 if it is None else it.code for it in outcomes.values()]
    assert codes == [0, 0, ErrorCode.REQUEST_LIMIT_REACHED, ErrorCode.REQUEST_LIMIT_REACHED]


def test_all_partitions_are_the_servers_choice_and_the_rest_is_requested_by_name(cluster):
    """A4, A5: those that failed stay eligible, and would be served again and again."""
    cluster.eligible = many(2300)
    cluster.answers = dict.fromkeys(many(1500), (ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE, None))
    outcomes = elect_leaders(cluster, UNCLEAN, None)
    assert cluster.elections() == [None, many(2300)[1000:2000], many(2300)[2000:]]
    assert sum(it is None for it in outcomes.values()) == 800


def test_nothing_eligible_is_one_request_without_outcomes(cluster):
    """A4."""
    assert elect_leaders(cluster, PREFERRED, None) == {}
    assert cluster.elections() == [None]


def test_leaders_are_named_beside_their_partitions(cluster):
    """A1."""
    names = [("t", 4), ("u", 0), ("t", 2)]
    leaders = {TopicPartition(*name): place for place, name in enumerate(names)}
    elect_leaders(cluster, ElectionType.DESIGNATION, leaders)
    rows = cluster.last(ElectLeadersRequest).topic_partitions
    assert [(row.topic, row.partitions, row.desired_leaders) for row in rows] == [
        ("t", [4, 2], [0, 2]),
        ("u", [0], [1]),
    ]


@pytest.mark.parametrize("kind", NEW_TYPES)
def test_a_server_without_version_3_does_not_know_the_new_types(kind):
    """A2, A7."""
    cluster = ElectingCluster(version=2)
    with pytest.raises(AdminError, match=f"does not support election type {kind.name}") as caught:
        elect_leaders(cluster, kind, {TopicPartition("t", 0): 1})
    assert caught.value.code == ErrorCode.UNSUPPORTED_VERSION
    assert cluster.elections() == []


@pytest.mark.parametrize("kind", [PREFERRED, UNCLEAN])
def test_a_server_without_version_3_serves_the_old_types(kind):
    """A7."""
    assert elect_leaders(ElectingCluster(version=2), kind, wanted(many(1))) == {
        TopicPartition("t", 0): None
    }


def test_a_failure_of_the_whole_election_is_an_error(cluster):
    cluster.failure = ErrorCode.CLUSTER_AUTHORIZATION_FAILED
    with pytest.raises(AdminError) as caught:
        elect_leaders(cluster, UNCLEAN, None)
    assert caught.value.code == ErrorCode.CLUSTER_AUTHORIZATION_FAILED


def test_a_partition_that_the_server_passes_over_has_failed(cluster, monkeypatch):
    cluster.eligible = many(1)
    answer = cluster.ask
    monkeypatch.setattr(
        cluster, "ask", lambda request: answer(ElectLeadersRequest(1, None, request.timeout_ms))
    )
    outcomes = elect_leaders(cluster, UNCLEAN, wanted(many(2)))
    assert outcomes[TopicPartition("t", 0)] is None
    assert outcomes[TopicPartition("t", 1)].code == ErrorCode.UNKNOWN_SERVER_ERROR


def test_the_server_times_out_before_the_client(cluster):
    elect_leaders(cluster, UNCLEAN, None)
    assert 0 < cluster.last(ElectLeadersRequest).timeout_ms < cluster.timeout_ms
