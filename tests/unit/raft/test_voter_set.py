import pytest

from minikafka.common.ids import Uuid
from minikafka.metadata.broker_registration import Endpoint, FeatureRange
from minikafka.protocol.primitives import MalformedMessage
from minikafka.raft.voter_set import RaftVoter, VoterSet

HOME, OTHER = Uuid.of(1, 1), Uuid.of(1, 2)


def voter(node_id, directory_id=HOME):
    endpoint = Endpoint("CONTROLLER", f"host{node_id}", 9093)
    return RaftVoter(node_id, directory_id, (endpoint,), FeatureRange(0, 1))


def test_voters_are_in_the_order_of_their_ids():
    assert VoterSet.of([voter(3), voter(1), voter(2)]).ids == [1, 2, 3]


def test_a_set_survives_its_record():
    voters = VoterSet.of([voter(1), voter(2, OTHER)])
    assert VoterSet.from_record(voters.to_record()) == voters


def test_bytes_that_are_no_record_are_refused():
    with pytest.raises(MalformedMessage):
        VoterSet.from_record(b"\x00")


def test_a_voter_is_a_node_with_its_directory():
    voters = VoterSet.of([voter(1)])
    assert voters.includes(1, HOME)
    assert not voters.includes(1, OTHER)
    assert not voters.includes(2, HOME)


def test_a_static_set_knows_no_directories():
    voters = VoterSet.of([voter(1, None)])
    assert voters.includes(1, HOME)
    assert voters.includes(1, OTHER)
    assert len(voters) == 1


def test_listeners_are_found_by_name():
    assert voter(1).address("CONTROLLER") == ("host1", 9093)
    assert voter(1).address("SSL") is None
