"""Elections without a reason are found, and so are those that are due (L1-L7, A2)."""

from dataclasses import replace

import pytest

from minikafka.common.ids import DIRECTORY_LOST, DIRECTORY_UNASSIGNED, TopicPartition, Uuid
from minikafka.messages.elect_leaders import ElectLeadersRequest, TopicPartitions
from minikafka.metadata.broker_registration import BrokerRegistration
from minikafka.metadata.features import ELIGIBLE_LEADER_REPLICAS_VERSION
from minikafka.metadata.image import RESOURCE_BROKER, RESOURCE_TOPIC, MetadataImage, TopicImage
from minikafka.metadata.partition_registration import LeaderRecoveryState, PartitionRegistration
from minikafka.sim.checks.election_checks import (
    ElectionChecks,
    ElectionContext,
    RulesInForce,
    can_lead,
    owed_leader,
    rules_in_force,
    unfit_election,
)
from minikafka.sim.world.violation import Violation

WHERE = TopicPartition("t", 0)
DIRECTORY = Uuid.of(0, 77)
UNCLEAN, DESIGNATION, BALANCED, AGGRESSIVE = 1, 2, 3, 4
OFF = RulesInForce(manager=False, strategy="Balanced", unclean_allowed=False, elr=True)
ALLOWED = OFF._replace(unclean_allowed=True)


def managed(strategy):
    return OFF._replace(manager=True, strategy=strategy)


def moment(able=(2, 3), eligible=(), last_known_elr=(), last_known_leader=-1):
    return ElectionContext(able, eligible, last_known_elr, last_known_leader)


@pytest.mark.parametrize(
    ("leader", "state", "rules", "requests", "rule"),
    [
        # No setting allowed it.
        (2, moment(), OFF, [], "L6"),
        (2, moment(), ALLOWED, [], None),
        (3, moment(), ALLOWED, [], "L6"),
        # A member of ISR or ELR could lead.
        (2, moment(able=(2, 3), eligible=(3,)), ALLOWED, [(UNCLEAN, -1)], "L1"),
        # The last known leader.
        (3, moment(last_known_leader=3), OFF, [], None),
        (3, moment(last_known_leader=3, eligible=(1,)), OFF, [], "L6"),
        (2, moment(last_known_leader=3), ALLOWED, [], "L6"),
        (2, moment(last_known_leader=1), ALLOWED, [], None),
        # An operator.
        (2, moment(), OFF, [(UNCLEAN, -1)], None),
        (3, moment(), OFF, [(UNCLEAN, -1)], "L6"),
        (3, moment(), OFF, [(DESIGNATION, 3)], None),
        (3, moment(), OFF, [(DESIGNATION, 2)], "L6"),
        (3, moment(), managed("None"), [(BALANCED, -1)], None),
        (3, moment(eligible=(1,)), managed("None"), [(BALANCED, -1)], "L3"),
        (3, moment(eligible=(1,)), managed("None"), [(AGGRESSIVE, -1)], None),
        # The strategy.
        (2, moment(), managed("None"), [], "L3"),
        (3, moment(eligible=(1,)), managed("Aggressive"), [], None),
        (3, moment(), managed("Balanced"), [], None),
        (3, moment(eligible=(1,)), managed("Balanced"), [], "L3"),
        (3, moment(last_known_elr=(1, 2)), managed("Balanced"), [], "L3"),
        (3, moment(last_known_elr=(2, 3)), managed("Balanced"), [], None),
        (3, moment(last_known_leader=3), managed("None"), [], "L3"),
    ],
)
def test_an_unclean_election_needs_a_reason(leader, state, rules, requests, rule):
    problem = unfit_election(leader, state, rules, requests)
    assert (problem and problem.partition(":")[0]) == rule


def broker(broker_id, **changes):
    given = {
        "broker_id": broker_id, "epoch": 10 + broker_id, "incarnation_id": Uuid.of(1, broker_id),
        "endpoints": (), "features": {}, "rack": None, "fenced": False,
        "in_controlled_shutdown": False, "log_dirs": (DIRECTORY,), "cordoned_log_dirs": None,
        "registered_at": 0, **changes,
    }  # fmt: skip
    return BrokerRegistration(**given)


def partition(isr=(), elr=(), leader=-1, **changes):
    given = {
        "replicas": (1, 2, 3), "directories": (DIRECTORY,) * 3, "isr": isr, "elr": elr,
        "leader": leader, "leader_epoch": 4, "partition_epoch": 4, **changes,
    }  # fmt: skip
    return PartitionRegistration(**given)


def image(now=None, fenced=(), configs=None, elr=1):
    topic = TopicImage("t", Uuid.of(0, 1), {} if now is None else {0: now})
    return replace(
        MetadataImage(),
        brokers={x: broker(x, fenced=x in fenced) for x in (1, 2, 3)},
        topics={topic.topic_id: topic},
        topic_ids={"t": topic.topic_id},
        configs=configs or {},
        features={ELIGIBLE_LEADER_REPLICAS_VERSION: elr},
    )


TOPIC, CLUSTER = (RESOURCE_TOPIC, "t"), (RESOURCE_BROKER, "")
STRATEGY, ENABLE = "unclean.recovery.strategy", "unclean.leader.election.enable"
MANAGER = "unclean.recovery.manager.enabled"


@pytest.mark.parametrize(
    ("configs", "given", "rules"),
    [
        ({}, {}, OFF),
        ({}, {MANAGER: "true", STRATEGY: "None"}, managed("None")),
        ({CLUSTER: {MANAGER: "true"}}, {MANAGER: "false"}, managed("Balanced")),
        (
            {TOPIC: {STRATEGY: "Aggressive"}},
            {STRATEGY: "None"},
            OFF._replace(strategy="Aggressive"),
        ),
        (
            {TOPIC: {ENABLE: "true"}},
            {STRATEGY: "None"},
            ALLOWED._replace(strategy="Aggressive"),
        ),
        (
            {TOPIC: {ENABLE: "true", STRATEGY: "None"}},
            {},
            ALLOWED._replace(strategy="None"),
        ),
        ({TOPIC: {ENABLE: "false"}}, {ENABLE: "true"}, OFF),
        ({}, {ENABLE: "true"}, ALLOWED._replace(strategy="Aggressive")),
    ],
)
def test_the_most_specific_setting_of_a_topic_applies(configs, given, rules):
    """L7."""
    assert rules_in_force(image(configs=configs), "t", given) == rules


@pytest.mark.parametrize(
    ("changes", "directory", "expected"),
    [
        ({}, DIRECTORY, True),
        ({"fenced": True}, DIRECTORY, False),
        ({"in_controlled_shutdown": True}, DIRECTORY, False),
        ({}, Uuid.of(0, 78), False),
        ({}, DIRECTORY_UNASSIGNED, True),
        ({}, DIRECTORY_LOST, False),
        ({"log_dirs": ()}, DIRECTORY_LOST, False),
    ],
)
def test_a_live_broker_with_the_log_can_lead(changes, directory, expected):
    now = partition(directories=(directory,) * 3)
    known = replace(image(), brokers={1: broker(1, **changes)})
    assert can_lead(known, now, 1) is expected
    assert not can_lead(known, now, 2)


@pytest.mark.parametrize(("before", "after"), [(1, 1), (0, 0), (0, 1), (1, 0)])
def test_an_elr_that_is_left_while_the_feature_is_off_needs_no_election_from_it(before, after):
    """E12, seed 130000059: the feature was switched off just before the only ISR member failed."""
    former = partition(isr=(3,), elr=(1,), leader=3, replicas=(3, 2, 1))
    now = replace(
        former, isr=(2,), elr=(), leader=2, leader_recovery_state=LeaderRecoveryState.RECOVERING
    )
    allowed = {CLUSTER: {ENABLE: "true"}}
    images = image(former, elr=before), image(now, fenced=(3,), elr=after, configs=allowed)
    checks = ElectionChecks()
    if before and after:
        with pytest.raises(Violation, match="L1: t-0: 2 is elected uncleanly although"):
            checks.changed(TopicPartition("t", 0), former, now, images)
    else:
        checks.changed(TopicPartition("t", 0), former, now, images)


def test_a_partition_without_leader_though_a_member_could_lead_is_found():
    """L1, L2: a liveness violation by itself."""
    checks = ElectionChecks()
    for now in (partition(isr=(1,)), partition(elr=(2, 3))):
        with pytest.raises(Violation, match="liveness: t-0: no leader"):
            checks.check_eligible_members_lead(image(now))
    checks.check_eligible_members_lead(image(partition(elr=(2,)), fenced=(2,)))
    checks.check_eligible_members_lead(image(partition(last_known_elr=(1, 2, 3))))


@pytest.mark.parametrize(
    ("now", "fenced", "rules", "is_owed"),
    [
        (partition(elr=(2,)), (), managed("None"), True),
        (partition(elr=(2,)), (2,), managed("None"), False),
        (partition(last_known_elr=(1, 2)), (), managed("None"), False),
        (partition(last_known_elr=(1, 2)), (), managed("Balanced"), True),
        (partition(last_known_elr=(1, 2)), (1,), managed("Balanced"), False),
        (partition(elr=(2,)), (2,), managed("Aggressive"), True),
        (partition(elr=(2,)), (1, 2, 3), managed("Aggressive"), False),
        (partition(last_known_elr=(1, 2)), (), OFF, False),
        (partition(last_known_elr=(1, 2)), (), ALLOWED, True),
        (partition(last_known_elr=(1, 2), last_known_leader=3), (), OFF, True),
        (partition(last_known_elr=(1, 2), last_known_leader=3), (3,), OFF, False),
    ],
)
def test_an_operator_helps_only_where_no_rule_does(now, fenced, rules, is_owed):
    assert (owed_leader(now, image(now, fenced), rules) is not None) is is_owed


def elected(leader, isr, **changes):
    return partition(isr=isr, leader=leader, leader_epoch=5, partition_epoch=5, **changes)


def look(former, now, *, requests=(), fenced=(), registered=()):
    checks = ElectionChecks()
    for request in requests:
        checks.asked(request)
    before = image(former, fenced)
    after = image(now, fenced)
    brokers = {
        x: replace(each, epoch=each.epoch + 100, fenced=True) if x in registered else each
        for x, each in after.brokers.items()
    }
    checks.changed(WHERE, former, now, (before, replace(after, brokers=brokers)))


MARKED = LeaderRecoveryState.RECOVERING


def test_the_elr_comes_after_the_isr():
    """L2."""
    former = partition(isr=(1, 2), elr=(3,), leader=1)
    with pytest.raises(Violation, match="L2: t-0: 3 of the ELR"):
        look(former, elected(3, (3,)), fenced=(1,))
    look(former, elected(3, (3,)), fenced=(1, 2))
    look(former, elected(2, (2,)), fenced=(1,))


def test_a_member_that_is_thrown_out_by_the_change_is_not_waited_for():
    """E7, L6: the last of the ELR registers after an unclean end, and the last known leader lives."""
    former = partition(elr=(2,), last_known_leader=3)
    now = elected(3, (3,), last_known_elr=(2,), leader_recovery_state=MARKED)
    look(former, now, registered=(2,))
    with pytest.raises(Violation, match="L6"):
        look(former, now, fenced=(2,))


@pytest.mark.parametrize(
    ("asked", "is_found"),
    [
        (ElectLeadersRequest(election_type=UNCLEAN, topic_partitions=None), False),
        (
            ElectLeadersRequest(
                election_type=UNCLEAN, topic_partitions=[TopicPartitions("t", partitions=[1])]
            ),
            True,
        ),
        (
            ElectLeadersRequest(
                election_type=DESIGNATION,
                topic_partitions=[TopicPartitions("t", partitions=[1, 0], desired_leaders=[2, 1])],
            ),
            False,
        ),
    ],
)
def test_a_request_counts_for_the_partitions_that_it_names(asked, is_found):
    former = partition(last_known_elr=(1, 2))
    now = elected(1, (1,), leader_recovery_state=MARKED)
    if not is_found:
        look(former, now, requests=[asked])
        return
    with pytest.raises(Violation, match="L6: t-0: 1 is elected"):
        look(former, now, requests=[asked])


def test_a_member_that_joins_the_isr_as_a_reassignment_ends_is_not_elected_from_the_elr():
    """Seed 98001458: leader 3 is no replica any more, and has taken 1 into the ISR."""
    former = partition(isr=(3, 2), elr=(1,), leader=3)
    now = replace(elected(1, (2, 1)), replicas=(1, 2))
    look(former, now)
    with pytest.raises(Violation, match="L2: t-0: 1 of the ELR"):
        look(former, elected(1, (2, 1)), fenced=(3,))
    with pytest.raises(Violation, match="L2: t-0: 1 of the ELR"):
        look(former, replace(now, isr=(1,)))
