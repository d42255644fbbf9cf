"""Recoveries of one partition with replicas 1, 2, 3, min ISR 2 (U1-U8, L3, L4, L8)."""

import logging
from itertools import permutations

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.controller import topic_control
from minikafka.controller.election import Strategy
from minikafka.controller.result import ControllerResult
from minikafka.controller.unclean_recovery import RecoveryRequest
from minikafka.messages.broker_registration import Listener
from minikafka.messages.delete_topics import DeleteTopicsRequest
from minikafka.messages.metadata_records.partition_change_record import PartitionChangeRecord
from minikafka.metadata.partition_registration import LeaderRecoveryState
from tests.unit.controller.conftest import came_back, keep_alive
from tests.worlds.recovery_world import RecoveryWorld, lost_world

FIVE_MINUTES_MS = 300_000


def test_the_partition_is_lost_as_the_scenarios_say(lost):
    registration = lost.partition()
    assert (registration.isr, registration.elr) == ((), (1, 2))
    assert registration.last_known_leader == 1
    assert lost.counts == (0, 0, 0)


@pytest.mark.parametrize("strategy", ["Balanced", "Aggressive"])
@pytest.mark.parametrize("victim", [0, 1])
@pytest.mark.parametrize("order", list(permutations((1, 2, 3))))
def test_a_replica_that_dies_again_after_its_answer_is_not_elected_on_it(order, victim, strategy):
    """U8: in every order of return, for each that answered while the last one did not."""
    world = lost_world(strategy=strategy)
    last = order[2]
    victim = order[victim]
    world.holds(victim, 9, 900)
    world.silent[last] = None
    came_back(world, *order)
    answered = [broker_id for broker_id, _ in world.asked]
    assert victim in answered
    assert world.leader == -1
    world.kill(victim)
    world.talk()
    world.holds(victim, 1, 1)
    came_back(world, victim)
    assert world.leader == -1
    world.silent.clear()
    (send,) = world.unanswered
    world.answer(send)
    world.talk()
    assert world.leader == max(world.logs, key=lambda broker_id: world.logs[broker_id])
    assert world.leader != victim
    assert world.counts == (0, 0, 1)


def test_a_replica_that_was_fenced_after_its_answer_is_asked_again():
    """U8: also where it comes back as the same incarnation."""
    world = lost_world(strategy="Aggressive")
    world.silent[2] = None
    came_back(world, 3, 2, 1)
    asked = [broker_id for broker_id, _ in world.asked].count(3)
    world.fence(3)
    world.holds(3, 1, 1)
    world.heartbeat(3)
    world.talk()
    assert [broker_id for broker_id, _ in world.asked].count(3) == asked + 1
    world.talk(5000)
    assert world.leader == 1


def test_a_replica_without_the_api_counts_as_late(caplog):
    """A broker of Apache Kafka in the LastKnownELR: it is waited for until the time is up."""
    world = lost_world(strategy="Balanced")
    world.foreign[1] = None
    world.holds(2, 5, 50)
    came_back(world, 1, 2, 3)
    keep_alive(world, 1, 2, 3, for_ms=FIVE_MINUTES_MS - 1000)
    assert world.leader == -1
    keep_alive(world, 1, 2, 3, for_ms=2000)
    assert world.leader == 2
    warnings = [row.message for row in caplog.records if "GetReplicaLogInfo" in row.message]
    assert len([each for each in warnings if "broker 1 does not have" in each]) == 1


def test_answers_about_an_older_leader_epoch_are_asked_again():
    """U4: the partition's epoch moved while it had no leader."""
    world = lost_world(strategy="Aggressive")
    came_back(world, 3)
    record = PartitionChangeRecord(partition_id=0, topic_id=world.image.topic_ids["t"], leader=-1)
    world.apply(ControllerResult([record], None))
    world.holds(3, 1, 1)
    world.come_back(1)
    world.talk(5000)
    assert world.leader == 1


def test_an_elr_member_that_returns_cleanly_needs_no_recovery(lost):
    """L2, L3."""
    lost.come_back(2, clean=True)
    lost.talk()
    assert lost.leader == 2
    assert lost.partition().leader_recovery_state is LeaderRecoveryState.RECOVERED
    assert lost.counts == (0, 0, 0)


def test_recoveries_that_wait_for_the_last_known_elr_are_counted(lost):
    """The gauge of section 11: in Balanced, those that wait for LastKnownELR members, too."""
    lost.come_back(1, unfence=False)
    lost.come_back(2, unfence=False)
    lost.talk()
    assert lost.partition().last_known_elr == (1, 2)
    assert lost.counts == (1, 0, 0)
    assert lost.asked == []


def test_a_broker_without_the_listener_is_asked_on_its_first(lost):
    other = Listener(name="OTHER", host="h", port=9003)
    lost.dead.pop(3)
    lost.register(3, listeners=[other])
    came_back(lost, 1, 2)
    lost.heartbeat(3)
    lost.talk()
    assert lost.leader == 3


# Answers


def test_all_replicas_are_asked_the_fenced_ones_too(lost):
    """U2."""
    lost.come_back(3, unfence=False)
    came_back(lost, 2, 1)
    assert {broker_id for broker_id, _ in lost.asked} == {1, 2, 3}
    assert lost.leader == -1


def test_an_answer_given_while_fenced_counts_once_the_replica_is_unfenced(lost):
    """U4: when a replica unfences, the manager looks again."""
    lost.come_back(3, unfence=False)
    came_back(lost, 2, 1)
    lost.asked.clear()
    lost.heartbeat(3)
    lost.talk()
    assert lost.leader == 3
    assert lost.asked == []


def test_an_answer_of_another_incarnation_is_rejected_and_asked_again(lost):
    """U4."""
    lost.wrong_epoch[3] = 1
    came_back(lost, 1, 2, 3)
    assert lost.leader == -1
    lost.wrong_epoch.clear()
    lost.talk(3000)
    assert lost.leader == 3


def test_a_replica_with_an_error_is_asked_again(lost):
    lost.errors[3] = ErrorCode.KAFKA_STORAGE_ERROR
    came_back(lost, 1, 2, 3)
    assert lost.leader == -1
    lost.errors.clear()
    lost.talk(3000)
    assert lost.leader == 3


def test_an_answer_about_another_leader_epoch_is_rejected(lost):
    """U4."""
    came_back(lost, 1, 2)
    lost.come_back(3)
    lost.advance(0)
    (send,) = lost.sends
    lost.sends = []
    lost.behind[3] = None
    lost.answer(send)
    lost.behind.clear()
    lost.advance(0)
    assert lost.leader == -1
    lost.talk(3000)
    assert lost.leader == 3


# The elected one


def test_the_elected_leader_is_unclean_until_it_says_that_it_recovered(lost):
    """L8, E8."""
    came_back(lost, 1, 2, 3)
    registration = lost.partition()
    assert (registration.isr, registration.elr) == ((3,), ())
    assert registration.leader_recovery_state is LeaderRecoveryState.RECOVERING
    assert registration.last_known_elr == (1, 2)
    _, answer = lost.propose(3, [3])
    assert answer.error_code == 0
    registration = lost.partition()
    assert registration.leader_recovery_state is LeaderRecoveryState.RECOVERED
    lost.propose(3, [3, 1])
    assert lost.partition().last_known_elr == ()


def test_the_mark_survives_the_controller_and_other_changes(lost):
    """L8: only the leader's own word, or a clean election, takes it off."""
    came_back(lost, 1, 2, 3)
    restarted = RecoveryWorld.started(lost.disk)
    assert restarted.partition().leader_recovery_state is LeaderRecoveryState.RECOVERING
    restarted.fence(1)
    assert restarted.partition().leader_recovery_state is LeaderRecoveryState.RECOVERING
    restarted.propose(3, [3, 2])
    assert restarted.partition().leader_recovery_state is LeaderRecoveryState.RECOVERED


def test_a_deleted_topic_ends_its_recovery(lost):
    came_back(lost, 1, 2)
    lost.apply(
        lost.controller.decide(
            topic_control.delete_topics, DeleteTopicsRequest(topic_names=["t"]), 6
        )
    )
    lost.talk()
    assert lost.counts == (0, 0, 0)
    assert lost.recovery.sender.pending == 0


def test_each_step_has_its_line(lost, caplog):
    """Start, stop and decision, with what every candidate holds."""
    caplog.set_level(logging.INFO)
    came_back(lost, 1, 2)
    lost.kill(2)
    lost.talk()
    came_back(lost, 2, 3)
    lines = [x.getMessage() for x in caplog.records if x.getMessage().startswith("t-0: ")]
    start = (
        "t-0: recovery starts: Balanced, by configuration; ISR [], ELR [], last known ELR [1, 2]"
    )
    logs = "1: epoch 4, end 100; 2: epoch 4, end 150; 3: epoch 4, end 200"
    elected = (
        "t-0: unclean leader: broker 3 leads epoch 2 after no leader in epoch 1; ISR [] -> [3], "
        "ELR [] -> [], last known ELR [1, 2]; acknowledged records may be lost; the longest log of "
        f"({logs})"
    )
    assert lines == [start, "t-0: recovery stops: wait for the last known ELR", start, elected]


# What operators ask


def request(world, strategy):
    key = next(iter(world.recovery._cases))
    asked = RecoveryRequest(strategy, {key: None})
    world.recovery.request(asked)
    world.talk()
    return key, asked


def test_an_operator_replaces_the_strategy(lost):
    came_back(lost, 1, 2)
    _, first = request(lost, Strategy.BALANCED)
    key, second = request(lost, Strategy.AGGRESSIVE)
    assert lost.leader == -1
    lost.talk(5000)
    assert lost.leader == 2
    assert first.results == second.results == {key: ErrorCode.NONE}
    assert not first.pending
    assert not second.pending


def test_what_an_operator_asked_ends_with_the_request():
    world = lost_world(strategy="None")
    came_back(world, 1, 2)
    key, asked = request(world, Strategy.BALANCED)
    assert world.counts == (1, 0, 0)
    waited = world.recovery.withdraw(asked)
    assert waited == {key: "no decision yet; replicas without answer: 3"}
    world.talk()
    assert world.counts == (0, 1, 0)


def test_an_operator_is_served_without_the_manager():
    """A3."""
    world = lost_world(manager=False)
    came_back(world, 2, 3)
    request(world, Strategy.AGGRESSIVE)
    world.talk(5000)
    assert world.leader == 3


def test_a_topic_that_is_deleted_meanwhile_is_answered(lost):
    key, asked = request(lost, Strategy.AGGRESSIVE)
    lost.apply(
        lost.controller.decide(
            topic_control.delete_topics, DeleteTopicsRequest(topic_names=["t"]), 6
        )
    )
    lost.talk()
    assert asked.results == {key: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}


# Many


def test_ten_thousand_partitions_need_few_requests():
    """U2, R3: what one failure asks is merged, at most 2000 partitions in a request."""
    world = RecoveryWorld.started()
    world.join(1, 2, 3)
    for number in range(10):
        answer = world.create(
            f"t{number}", assignment=((1, 2, 3),) * 1000, configs={"min.insync.replicas": "2"}
        )
        assert answer.error_code == 0
    world.kill(3, 2, 1)
    world.talk()
    for broker_id in (1, 2, 3):
        world.come_back(broker_id, unfence=False)
    for broker_id in (1, 2, 3):
        world.holds(broker_id, 4, 100 * broker_id)
        world.heartbeat(broker_id)
    world.talk()
    assert all(world.partition(f"t{n}", i).leader == 3 for n in range(10) for i in range(1000))
    assert all(len(keys) <= 2000 for _, keys in world.asked)
    assert world.recovery.sender.requests_sent == 15
    assert world.counts == (0, 0, 10_000)
