"""A voter set takes effect when its record is appended, and ends with it (KIP-853)."""

import pytest

from minikafka.protocol.primitives import MalformedMessage
from minikafka.raft.voter_history import VoterHistory
from minikafka.records.batch import ControlType
from tests.worlds.voter_world import voters_of

STATIC = voters_of(1, 2, 3, static=True)
FIRST, SECOND = voters_of(1, 2), voters_of(1, 2, 3)


def voters_record(voters):
    return ControlType.KRAFT_VOTERS, voters.to_record()


def version_record(level):
    return ControlType.KRAFT_VERSION, b"\0\0" + level.to_bytes(2, "big")


def logged():
    """FIRST at offset 2, kraft.version 1 at offset 1, SECOND at offset 10."""
    history = VoterHistory(None)
    other = (ControlType.LEADER_CHANGE, b"")
    history.append(0, [other, version_record(1), voters_record(FIRST)])
    history.append(10, [voters_record(SECOND)])
    return history


def test_the_configuration_holds_until_the_log_has_voters():
    history = VoterHistory(STATIC)
    assert (history.voters, history.kraft_version, history.voters_offset) == (STATIC, 0, -1)
    history.append(4, [voters_record(FIRST)])
    assert (history.voters, history.voters_offset) == (FIRST, 4)


def test_a_node_may_know_no_voters():
    history = VoterHistory(None)
    assert (history.voters, history.voters_offset) == (None, -1)
    assert history.at(100) == (None, 0)


def test_voters_hold_from_their_record_on():
    history = logged()
    assert (history.voters, history.kraft_version, history.voters_offset) == (SECOND, 1, 10)
    assert history.at(0) == history.at(1) == (None, 0)
    assert history.at(2) == (None, 1)
    assert history.at(3) == history.at(10) == (FIRST, 1)
    assert history.at(11) == history.at(1 << 40) == (SECOND, 1)


def test_truncation_undoes_what_was_appended():
    history = logged()
    history.truncate(11)
    assert history.voters == SECOND
    history.truncate(10)
    assert (history.voters, history.voters_offset) == (FIRST, 2)
    history.truncate(2)
    assert (history.voters, history.kraft_version) == (None, 1)
    history.truncate(0)
    assert (history.voters, history.kraft_version, history.voters_offset) == (None, 0, -1)


def test_truncation_brings_the_configuration_back():
    history = VoterHistory(STATIC)
    history.append(4, [voters_record(FIRST)])
    history.truncate(4)
    assert (history.voters, history.voters_offset) == (STATIC, -1)


def test_what_a_snapshot_has_replaced_is_dropped():
    history = logged()
    history.forget(10)
    assert history.at(10) == (FIRST, 1)
    history.forget(11)
    assert history.at(11) == (SECOND, 1)
    # What is committed is not undone.
    history.truncate(11)
    assert (history.voters, history.voters_offset) == (SECOND, 10)


def test_a_snapshot_replaces_everything():
    history = logged()
    history.load(50, FIRST, 1)
    assert (history.voters, history.kraft_version, history.voters_offset) == (FIRST, 1, 49)
    assert history.at(50) == (FIRST, 1)
    history.append(60, [voters_record(SECOND)])
    history.truncate(55)
    assert history.voters == FIRST


def test_a_snapshot_without_voters_leaves_those_of_the_configuration():
    history = VoterHistory(STATIC)
    history.load(50, None, 0)
    assert (history.voters, history.kraft_version, history.voters_offset) == (STATIC, 0, -1)


def test_a_damaged_record_is_refused():
    with pytest.raises(MalformedMessage):
        VoterHistory(None).append(0, [(ControlType.KRAFT_VOTERS, b"\0")])
