"""The decision of one partition's change against what Apache Kafka 4.3.1 decides.

Both write the same record but for deliberate differences (L8, E2, E11). Those in a record are
taken back before the comparison; reassignments that must not complete are compared on their own.
"""

from pathlib import Path

import pytest

from minikafka.common.ids import TopicIdPartition, Uuid
from minikafka.controller.election import Election
from minikafka.controller.partition_change import ChangeContext, Target, partition_change
from minikafka.metadata.partition_registration import LeaderRecoveryState, PartitionRegistration
from tests.conformance.partition_change_cases import Written, from_line

DATA = Path(__file__).parent / "data" / "partition_changes.txt"
PARTITION = TopicIdPartition(Uuid.of(1, 1), 0)


def directory(broker):
    return Uuid.of(7, broker)


def decided(case):
    current = PartitionRegistration(
        replicas=tuple(case.replicas),
        directories=tuple(directory(x) for x in case.replicas),
        isr=tuple(case.isr),
        elr=tuple(case.elr),
        leader=case.leader,
        leader_epoch=3,
        partition_epoch=9,
        last_known_leader=case.last_known_leader,
        leader_recovery_state=LeaderRecoveryState(case.recovery_state),
        adding_replicas=tuple(case.adding),
        removing_replicas=tuple(case.removing),
    )
    target = Target(
        isr=None if case.target_isr is None else tuple(case.target_isr),
        unclean_shutdown=tuple(case.unclean_shutdown),
    )
    context = ChangeContext(
        min_insync_replicas=case.min_isr,
        elr_enabled=bool(case.elr_enabled),
        metadata_version=30,
        election=Election[case.election],
        acceptable=case.alive.__contains__,
        default_directory=directory,
    )
    record = partition_change(PARTITION, current, target, context)
    if record is None:
        return None
    return Written(
        record.isr,
        record.leader,
        record.eligible_leader_replicas,
        record.leader_recovery_state,
        record.replicas,
        record.removing_replicas,
        record.adding_replicas,
    )


def as_specified(case, kafka):
    """Kafka's record, changed where the specification differs."""
    if kafka is None:
        return None
    was_elected_cleanly = kafka.leader >= 0 and kafka.recovery_state == -1
    stays_uncleanly = kafka.leader == case.leader or (
        kafka.leader not in case.isr + (case.target_isr or []) + case.elr
    )
    if case.recovery_state and was_elected_cleanly and not stays_uncleanly:
        kafka = kafka._replace(recovery_state=0)
    isr = case.isr if kafka.isr is None else kafka.isr
    replicas = case.replicas if kafka.replicas is None else kafka.replicas
    elr = case.elr if kafka.elr is None else kafka.elr
    if len(isr) >= case.min_isr:
        elr = []
    elr = [x for x in elr if x in replicas]
    return kafka._replace(elr=None if elr == case.elr else elr)


def completes_under_min_isr(case, kafka):
    """True if Kafka completed a reassignment that E11 keeps open."""
    if kafka is None or (kafka.removing is None and kafka.adding is None):
        return False
    isr = case.isr if case.target_isr is None else case.target_isr
    replicas = case.replicas if kafka.replicas is None else kafka.replicas
    left = [member for member in isr if member not in case.removing]
    return len(left) < min(case.min_isr, len(replicas))


@pytest.fixture(scope="module")
def recorded():
    return [from_line(line) for line in DATA.read_text().splitlines()]


def test_the_same_records_are_written(recorded):
    wrong = [
        (case, ours, kafka)
        for case, kafka in recorded
        if not completes_under_min_isr(case, kafka)
        and (ours := decided(case)) != as_specified(case, kafka)
    ]
    assert wrong == []


def test_a_reassignment_stays_open_where_kafka_would_complete_it_under_min_isr(recorded):
    """E11."""
    found = [case for case, kafka in recorded if completes_under_min_isr(case, kafka)]
    assert found
    for case in found:
        ours = decided(case)
        assert ours is None or (ours.replicas, ours.removing, ours.adding) == (None, None, None)


def test_the_cases_cover_every_kind_of_outcome(recorded):
    outcomes = [written for _, written in recorded]
    assert None in outcomes
    written = [x for x in outcomes if x is not None]
    assert any(x.leader == -1 for x in written)
    assert any(x.elr for x in written)
    assert any(x.recovery_state == 1 for x in written)
    assert any(x.replicas for x in written)
    assert sum(as_specified(c, k) == k for c, k in recorded) > 0.9 * len(recorded)
