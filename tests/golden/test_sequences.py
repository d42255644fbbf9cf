"""minikafka goes through the states that Apache Kafka 4.3.1 went through, step by step.

What Kafka did is data: `sequences/`, recorded by `python -m tests.golden.run --record`. Where
minikafka differs, the data names the rule of the specification that says so.
"""

import pytest

from minikafka.messages.api_keys import ApiKey
from minikafka.testing.nodes import Nodes
from tests.golden import playable
from tests.golden import sequence as data
from tests.golden.playable import left_out, possible
from tests.golden.rules import differences
from tests.golden.run import Player

CONFIG = {
    "broker.session.timeout.ms": "1500",
    "broker.heartbeat.interval.ms": "100",
    "auto.leader.rebalance.enable": "false",
    # Kafka fences a killed broker when its session ends.
    "stopped.node.detection.enable": "false",
}
# More than the interval, so that a busy machine keeps the order of the last heartbeats.
_HEARTBEAT_S = 0.25


def play(name, base_port):
    sequence = data.load(name)
    with Nodes(sequence.brokers, config=CONFIG, base_port=base_port) as nodes:
        Player(nodes, sequence, here=True, heartbeat_s=_HEARTBEAT_S).play()


PLAYS = [(play, (name,), len(data.load(name).steps)) for name in possible()]


@pytest.mark.parametrize("name", possible())
def test_sequence(played, name):
    """C3, E1, E4-E11, H4-H6, L1, L2, L5, L6, A3, D2: each sequence shows some of them."""
    played(play, name)


def test_a_sequence_that_is_left_out_is_named_with_its_reason(monkeypatch):
    assert left_out() == {}
    monkeypatch.delitem(playable.MODULES["broker"], ApiKey.ALTER_PARTITION_REASSIGNMENTS)
    why = "it needs ALTER_PARTITION_REASSIGNMENTS, which no broker here serves"
    assert left_out() == {"l-reassignment": why}
    assert possible() == [name for name in data.names() if name != "l-reassignment"]
    assert playable.lines() == [f"golden sequence l-reassignment is left out: {why}"]


@pytest.mark.parametrize("name", data.names())
def test_differences_are_those_that_the_rules_give(name):
    """E7, E9, E10: every difference in the data follows from a rule."""
    sequence = data.load(name)
    for topic in sequence.topics:
        given = [step.here.get(topic) for step in sequence.steps]
        assert given == differences(sequence, topic)


@pytest.mark.parametrize("name", data.names())
def test_data_is_written_as_it_is_recorded(name, tmp_path, monkeypatch):
    sequence = data.load(name)
    before = (data.FOLDER / f"{name}.json").read_text()
    monkeypatch.setattr(data, "FOLDER", tmp_path)
    data.save(sequence)
    assert (tmp_path / f"{name}.json").read_text() == before
