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
from minikafka.messages.metadata_records.clear_elr_record import ClearElrRecord
from minikafka.messages.metadata_records.partition_change_record import PartitionChangeRecord
from minikafka.metadata.partition_registration import LeaderRecoveryState
from tests.worlds.recovery_world import RecoveryWorld, lost_world, world_with_topic

FIVE_MINUTES_MS = 300_000


@pytest.fixture
def lost():
    return lost_world()


def came_back(world, *broker_ids):
    for broker_id in broker_ids:
        world.come_back(broker_id)
        world.talk()
    return world


def test_the_partition_is_lost_as_the_scenarios_say(lost):
    registration = lost.partition()
    assert (registration.isr, registration.elr) == ((), (1, 2))
    assert registration.last_known_leader == 1
    assert lost.counts == (0, 0, 0)


# Balanced


@pytest.mark.parametrize("order", list(permutations((1, 2, 3))))
def test_balanced_elects_the_longest_log_in_every_order_of_return(lost, order):
    """L4, U5: it waits for all of LastKnownELR and, within the timeout, for the others."""
    came_back(lost, *order[:2])
    assert lost.leader == -1
    came_back(lost, order[2])
    assert lost.leader == 3
    assert lost.partition().isr == (3,)
    assert lost.counts == (0, 0, 1)


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


def test_balanced_waits_while_a_member_of_the_last_known_elr_is_gone(lost):
    """L4: the others' answers do not count without it, however long it takes."""
    came_back(lost, 3, 1)
    lost.dead.clear()
    lost.heartbeat(3)
    assert lost.partition().elr == (2,)
    lost.talk(2 * FIVE_MINUTES_MS)
    assert lost.leader == -1


def keep_alive(world, *broker_ids, for_ms):
    """Time passes, and these brokers are heard of."""
    for _ in range(for_ms // 1000):
        for broker_id in broker_ids:
            world.heartbeat(broker_id)
        world.talk(1000)


def test_balanced_decides_without_the_others_when_the_time_is_up(lost):
    """U5: the members of LastKnownELR have answered; the third has not within the timeout."""
    came_back(lost, 1, 2)
    assert lost.counts == (1, 0, 0)
    keep_alive(lost, 1, 2, for_ms=FIVE_MINUTES_MS - 1000)
    assert lost.leader == -1
    keep_alive(lost, 1, 2, for_ms=1000)
    assert lost.leader == 2


def test_the_timeout_is_configured_and_may_change_while_it_runs(lost):
    came_back(lost, 1, 2)
    lost.set_config("", "unclean.recovery.timeout.ms", "3000", resource_type=4)
    keep_alive(lost, 1, 2, for_ms=2000)
    assert lost.leader == -1
    keep_alive(lost, 1, 2, for_ms=1000)
    assert lost.leader == 2


def test_balanced_waits_for_members_that_have_not_answered_after_the_timeout(lost):
    """U5: all of LastKnownELR must answer; the timeout is for the others."""
    lost.silent[2] = None
    came_back(lost, 1, 2)
    keep_alive(lost, 1, 2, for_ms=FIVE_MINUTES_MS + 5000)
    assert lost.leader == -1
    lost.silent.clear()
    keep_alive(lost, 1, 2, for_ms=13_000)
    assert lost.leader == 2


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


@pytest.fixture
def forgotten(lost):
    """Nobody is in ELR or LastKnownELR: a controller of Apache Kafka cleared them (SPEC 13)."""
    lost.apply(ControllerResult([ClearElrRecord(topic_name="t")], None))
    lost.talk()
    assert (lost.partition().elr, lost.partition().last_known_elr) == ((), ())
    return lost


def test_with_nobody_last_known_balanced_starts_at_once(forgotten):
    """L4: all of nobody are unfenced. The others are waited for as always (U5)."""
    assert forgotten.counts == (1, 0, 0)
    came_back(forgotten, 3)
    keep_alive(forgotten, 3, for_ms=FIVE_MINUTES_MS - 1000)
    assert forgotten.leader == -1
    keep_alive(forgotten, 3, for_ms=1000)
    assert forgotten.leader == 3


def test_with_nobody_last_known_all_answers_decide_at_once(forgotten):
    came_back(forgotten, 1, 2, 3)
    assert forgotten.leader == 3


def test_with_nobody_last_known_the_first_answer_after_the_timeout_decides(forgotten):
    forgotten.talk(FIVE_MINUTES_MS + 1000)
    assert forgotten.leader == -1
    came_back(forgotten, 1)
    assert forgotten.leader == 1


# Aggressive


def test_aggressive_elects_among_those_who_answered_within_five_seconds():
    """L3, U5: fenced ELR members are not waited for."""
    world = lost_world(strategy="Aggressive")
    came_back(world, 3)
    assert world.partition().elr == (1, 2)
    assert world.leader == -1
    world.talk(5000)
    assert world.leader == 3
    assert world.counts == (0, 0, 1)


def test_aggressive_takes_the_longest_of_several_answers():
    world = lost_world(strategy="Aggressive")
    world.talk(60_000)
    world.holds(3, 4, 10)
    world.come_back(3, unfence=False)
    world.come_back(2, unfence=False)
    world.talk()
    world.heartbeat(2)
    world.talk()
    assert world.leader == 2


def test_aggressive_takes_the_first_answer_after_five_seconds():
    world = lost_world(strategy="Aggressive")
    world.talk(60_000)
    assert world.counts == (1, 0, 0)
    assert world.leader == -1
    world.come_back(1)
    world.talk()
    assert world.leader == 1


def test_aggressive_does_not_wait_for_the_five_seconds_when_all_have_answered():
    world = world_with_topic(strategy="Aggressive")
    world.holds(2, 7, 5)
    world.kill(3, 2, 1)
    for broker_id in (3, 2, 1):
        world.come_back(broker_id, unfence=False)
    world.talk()
    assert world.leader == -1
    for broker_id in (1, 3, 2):
        world.heartbeat(broker_id)
    world.talk()
    assert world.leader == 2


# None


def test_none_elects_nobody_and_waits_for_an_operator():
    """L4."""
    world = lost_world(strategy="None")
    came_back(world, 1, 2, 3)
    world.talk(FIVE_MINUTES_MS)
    assert world.leader == -1
    assert world.asked == []
    assert world.counts == (0, 1, 0)


def test_a_strategy_that_changes_is_obeyed_at_once():
    world = lost_world(strategy="None")
    came_back(world, 1, 2, 3)
    world.set_config("t", "unclean.recovery.strategy", "balanced")
    world.talk()
    assert world.leader == 3


def test_a_recovery_stops_where_the_strategy_becomes_none(lost):
    came_back(lost, 1, 2)
    lost.set_config("t", "unclean.recovery.strategy", "Manual")
    lost.talk()
    assert lost.counts == (0, 1, 0)
    assert lost.recovery.sender.pending == 0


# The manager, on and off


def test_without_the_manager_the_last_known_leader_is_elected():
    """L6."""
    world = lost_world(manager=False)
    came_back(world, 2, 3)
    assert world.leader == -1
    came_back(world, 1)
    assert world.leader == 1
    assert world.asked == []


def test_the_manager_is_switched_on_and_off_while_it_runs():
    world = lost_world(manager=False)
    world.come_back(2)
    world.set_config("", "unclean.recovery.manager.enabled", "true", resource_type=4)
    came_back(world, 1)
    assert world.leader == -1
    assert world.counts == (1, 0, 0)
    world.set_config("", "unclean.recovery.manager.enabled", "false", resource_type=4)
    world.talk()
    assert world.leader == 1
    assert world.counts == (0, 0, 0)


def test_an_unclean_election_by_configuration_becomes_a_recovery():
    """L7: true is Aggressive; nobody at random is elected while the manager is on."""
    world = lost_world(configs={"unclean.leader.election.enable": "true"})
    came_back(world, 3)
    assert world.leader == -1
    world.talk(5000)
    assert world.leader == 3


def test_nothing_is_elected_at_random_while_the_manager_is_on():
    """L4: the deprecated key counts for nothing where the strategy is set (L7)."""
    world = lost_world(strategy="None", configs={"unclean.leader.election.enable": "true"})
    came_back(world, 3)
    world.set_config("t", "unclean.leader.election.enable", "false")
    world.set_config("t", "unclean.leader.election.enable", "true")
    keep_alive(world, 3, for_ms=FIVE_MINUTES_MS + 1000)
    assert world.leader == -1


def test_a_broker_without_the_listener_is_asked_on_its_first(lost):
    other = Listener(name="OTHER", host="h", port=9003)
    lost.dead.pop(3)
    lost.register(3, listeners=[other])
    came_back(lost, 1, 2)
    lost.heartbeat(3)
    lost.talk()
    assert lost.leader == 3


# Answers


def test_the_epoch_of_the_last_record_counts_before_the_length(lost):
    """U6."""
    lost.holds(1, 5, 10)
    came_back(lost, 3, 2, 1)
    assert lost.leader == 1


def test_of_equal_logs_the_lowest_broker_wins(lost):
    """U6."""
    for broker_id in (1, 2, 3):
        lost.holds(broker_id, 4, 100)
    came_back(lost, 3, 2, 1)
    assert lost.leader == 1


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


# The manager's own life


def test_a_new_controller_begins_the_recovery_anew(lost):
    """U1: nothing of it is in the metadata log."""
    written = lost.raft.end_offset
    came_back(lost, 1, 2)
    assert not any(
        isinstance(record, PartitionChangeRecord) and record.leader >= 0
        for record in lost.records(written)
    )
    restarted = RecoveryWorld.started(lost.disk)
    restarted.logs = lost.logs
    restarted.dead = {3: None}
    restarted.talk()
    assert [broker_id for broker_id, _ in restarted.asked][:3] == [1, 2, 3]
    assert restarted.counts == (1, 0, 0)
    came_back(restarted, 3)
    assert restarted.leader == 3
    assert restarted.counts == (0, 0, 1)


def test_answers_to_a_controller_that_renounced_change_nothing(lost):
    """U2."""
    came_back(lost, 1, 2)
    lost.come_back(3)
    lost.advance(0)
    (send,) = lost.sends
    lost.sends = []
    lost.controller.renounce()
    assert lost.recovery.sender.pending == 0
    lost.answer(send)
    assert lost.recovery.sender.pending == 0
    assert lost.counts == (0, 0, 0)


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


def test_a_recovery_whose_questions_were_lost_is_started_again_by_a_heartbeat(lost):
    """U7."""
    lost.silent[3] = None
    came_back(lost, 1, 2, 3)
    lost.recovery.sender.stop()
    lost.silent.clear()
    lost.talk(5000)
    assert lost.leader == -1
    keep_alive(lost, 1, 2, 3, for_ms=1000)
    assert lost.leader == 3


def test_a_question_that_never_ends_is_asked_again(lost):
    """U7."""
    lost.silent[3] = None
    came_back(lost, 1, 2, 3)
    lost.silent.clear()
    for call in lost.calls._pending.values():
        call.timer.cancel()
    lost.calls._pending.clear()
    keep_alive(lost, 1, 2, 3, for_ms=50_000)
    assert lost.leader == -1
    keep_alive(lost, 1, 2, 3, for_ms=20_000)
    assert lost.leader == 3


def test_a_recovery_whose_decision_was_lost_is_taken_up_by_a_heartbeat(lost):
    """U7."""
    came_back(lost, 1, 2)
    lost.come_back(3, unfence=False)
    lost.talk()
    lost.heartbeat(3)
    lost.recovery._dirty.clear()
    lost.talk()
    assert lost.leader == -1
    for case in lost.recovery._cases.values():
        case.alarm_ms = 0
    keep_alive(lost, 1, 2, 3, for_ms=6000)
    assert lost.leader == 3


def test_a_recovery_that_waits_as_it_should_is_left_alone(lost, caplog):
    caplog.set_level(logging.INFO)
    came_back(lost, 1, 2)
    keep_alive(lost, 1, 2, for_ms=60_000)
    assert "starts again" not in caplog.text
    assert {broker_id for broker_id, _ in lost.asked[3:]} == {3}


def test_a_recovery_whose_replicas_are_all_fenced_waits_in_silence(caplog):
    caplog.set_level(logging.INFO)
    world = lost_world(strategy="Aggressive")
    for broker_id in (1, 2, 3):
        world.come_back(broker_id, unfence=False)
    for _ in range(20):
        world.heartbeat(1, want_fence=True)
        world.talk(1000)
    assert "starts again" not in caplog.text
    assert world.leader == -1
    world.heartbeat(2)
    world.talk()
    assert world.leader == 2


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


def test_a_partition_that_was_lost_sight_of_is_found_by_a_heartbeat(lost):
    """U7."""
    came_back(lost, 1, 2)
    lost.recovery._cases.clear()
    lost.recovery._dirty.clear()
    keep_alive(lost, 1, 2, for_ms=6000)
    assert lost.counts == (1, 0, 0)


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
