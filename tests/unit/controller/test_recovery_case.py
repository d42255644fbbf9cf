"""What is known of one partition without leader."""

import pytest

from minikafka.common.ids import Uuid
from minikafka.controller.election import LogInfo, RecoveryStep, Strategy
from minikafka.controller.recovery_case import (
    RecoveryCase,
    RecoveryRequest,
    ReplicaReport,
    last_known,
)
from minikafka.metadata.partition_registration import NO_LEADER, PartitionRegistration


def registration(replicas=(1, 2, 3), leader_epoch=4, last_known_elr=()):
    return PartitionRegistration(
        replicas=replicas, directories=(Uuid.of(0, 1),) * len(replicas), isr=(), elr=(2,),
        last_known_elr=last_known_elr, leader=NO_LEADER, leader_epoch=leader_epoch,
        partition_epoch=0,
    )  # fmt: skip


@pytest.fixture
def case():
    """Brokers 1 and 3 have answered."""
    made = RecoveryCase("t-0", RecoveryStep.RECOVER, (1, 2, 3), 4, Strategy.BALANCED)
    for broker_id in (1, 3):
        made.answers[broker_id] = ReplicaReport(LogInfo(0, 5), 10)
    return made


def test_replicas_without_answer_are_named(case):
    assert case.waits_for == "no decision yet; replicas without answer: 2"
    case.answers[2] = case.answers[1]
    assert case.waits_for == "no decision yet; replicas without answer: none"
    case.step = RecoveryStep.WAIT_FOR_OPERATOR
    assert case.waits_for == RecoveryStep.WAIT_FOR_OPERATOR.value


def test_the_reason_names_who_requires_the_recovery(case):
    lists = "ISR [], ELR [2], last known ELR [1]"
    now = registration(last_known_elr=(1,))
    assert case.reason(now) == f"Balanced, by configuration; {lists}"
    case.requests.append(RecoveryRequest(Strategy.AGGRESSIVE, {}))
    assert case.reason(now) == f"Balanced, requested by an operator; {lists}"


def test_answers_of_removed_replicas_are_dropped(case):
    assert case.renew(registration(replicas=(1, 2, 4))) == [3]
    assert (case.replicas, list(case.answers)) == ((1, 2, 4), [1])


def test_all_answers_are_dropped_with_a_new_leader_epoch(case):
    """U4."""
    assert case.renew(registration(leader_epoch=5)) == [1, 2, 3]
    assert (case.leader_epoch, case.answers) == (5, {})
    assert case.renew(registration(leader_epoch=5)) == []


def test_nothing_remains_of_a_recovery_that_ended(case):
    case.alarm_ms = 7
    case.end_recovery()
    assert (case.answers, case.strategy, case.alarm_ms) == ({}, None, -1)


def test_removed_replicas_are_not_last_known():
    assert last_known(registration(last_known_elr=(5, 3))) == (3,)
