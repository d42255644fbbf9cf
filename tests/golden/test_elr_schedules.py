"""E13: the failures that ELR is for, on real processes with real loss; with ELR nothing is lost."""

from itertools import product

import pytest

from minikafka.harness.faults.elr_schedules import last_replica_standing, worked_example
from minikafka.testing.nodes import Nodes

CONFIG = {
    "broker.session.timeout.ms": "1500",
    "broker.heartbeat.interval.ms": "200",
    # The schedules count on the time of a session.
    "stopped.node.detection.enable": "false",
}
BROKERS = {last_replica_standing: 3, worked_example: 4}


def play(schedule, elr, base_port):
    features = {"eligible.leader.replicas.version": int(elr)}
    nodes = Nodes(BROKERS[schedule], config=CONFIG, features=features, base_port=base_port)
    with nodes:
        return schedule(nodes, elr=elr)


_STEPS = 12
PLAYS = [(play, side, _STEPS) for side in product(BROKERS, (True, False))]


@pytest.mark.parametrize(
    ("schedule", "unclean_shutdowns"), [(last_replica_standing, 1), (worked_example, 2)]
)
def test_with_elr_no_acknowledged_record_is_lost(played, schedule, unclean_shutdowns):
    """E1, E5, E6, E7, E13, H7, L2: min ISR - 1 data-losing shutdowns are withstood.

    The schedule itself asserts leader, ISR and ELR after each step.
    """
    outcome = played(play, schedule, True)
    assert len(outcome.losses) == unclean_shutdowns
    assert len(outcome.acknowledged) == 200
    assert outcome.lost == []
    # H4, H5: nothing is acknowledged while the ISR is under min ISR.
    assert outcome.refused == 10
    assert not {f"record-{number}" for number in range(200, 210)} & set(outcome.read)


@pytest.mark.parametrize("schedule", BROKERS)
def test_without_elr_the_same_schedule_loses_them(played, schedule):
    """E12, E13: the feature is off, and the records that are lost are named.

    H8: what min ISR refuses with the feature it refuses without.
    """
    outcome = played(play, schedule, False)
    assert outcome.refused == 10
    assert not {f"record-{number}" for number in range(200, 210)} & set(outcome.read)
    assert len(outcome.acknowledged) == 200
    assert outcome.lost == [f"record-{number}" for number in range(200)]
