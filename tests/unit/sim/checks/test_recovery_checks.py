"""U4-U6, U8: answers that a controller holds, and its elections, are compared with logs."""

from dataclasses import replace

import pytest

from minikafka.common.ids import TopicIdPartition, TopicPartition
from minikafka.controller.election import LogInfo, Strategy
from minikafka.controller.recovery_case import ReplicaReport
from minikafka.controller.unclean_recovery import AGGRESSIVE_WAIT_MS, RunningRecovery
from minikafka.metadata.partition_registration import LeaderRecoveryState
from minikafka.sim.checks.recovery_checks import RecoveryChecks
from minikafka.sim.world.violation import Violation
from tests.worlds.sim_world import create_topic, produce, replica, started_cluster

WHERE = TopicPartition("t", 0)
NOW_MS = 1_000
LATE_MS = 90_000


class View:
    recovery_timeout_ms = 20_000


class Controller:
    """A controller with recoveries, as the checks see it."""

    def __init__(self, image, *recoveries):
        self.latest = image
        self.is_active, self.epoch = True, 1
        self.open = list(recoveries)
        self.finished_count = 0
        self.recovery = self
        self.view = View

    def running(self):
        return iter(self.open)

    def lead(self, broker_id, index=0, state=LeaderRecoveryState.RECOVERING):
        """Elect a leader, whatever the reason."""
        topic = self.latest.topic("t")
        now = replace(
            topic.partitions[index], leader=broker_id, isr=(broker_id,),
            leader_recovery_state=state,
        )  # fmt: skip
        topic = replace(topic, partitions={**topic.partitions, index: now})
        self.latest = replace(self.latest, topics={**self.latest.topics, topic.topic_id: topic})
        self.open = [x for x in self.open if x.partition.partition != index]

    def lead_meanwhile(self, broker_id):
        """Elect a leader in the step before the one that ends the recovery."""
        running = self.open
        self.lead(broker_id)
        self.open = running
        topic = self.latest.topic("t")
        now = topic.partitions[0]
        topic = replace(topic, partitions={0: replace(now, leader_epoch=now.leader_epoch + 1)})
        self.latest = replace(self.latest, topics={**self.latest.topics, topic.topic_id: topic})

    def elect(self, broker_id, index=0):
        """Elect a leader by a recovery."""
        self.lead(broker_id, index)
        self.finished_count += 1


@pytest.fixture
def cluster():
    cluster = started_cluster(3)
    create_topic(cluster, "t", replicas=[[1, 2, 3]])
    for number in range(4):
        produce(cluster.client(), "t", b"%d" % number)
    cluster.world.run(2_000)
    replica(cluster, 2, "t").log.truncate_to(2, cluster.nodes[2].now)
    return cluster


@pytest.fixture
def checks(cluster):
    return RecoveryChecks(cluster.nodes)


def controller_of(cluster, strategy=Strategy.AGGRESSIVE, last_known=(), **ends):
    """Each broker named has answered with the end offset given."""
    image = cluster.nodes[1].node.loader.image
    topic = image.topic("t")
    now = replace(topic.partitions[0], leader=-1, isr=(), last_known_elr=last_known)
    topics = {**image.topics, topic.topic_id: replace(topic, partitions={0: now})}
    image = replace(image, topics=topics)
    answers = {
        int(name[1:]): ReplicaReport(LogInfo(0, end), image.brokers[int(name[1:])].epoch)
        for name, end in ends.items()
    }
    key = TopicIdPartition(topic.topic_id, 0)
    return Controller(image, RunningRecovery(key, strategy, answers))


def test_true_answers_and_the_longest_log_are_accepted(cluster, checks):
    controller = controller_of(cluster, n1=4, n2=2)
    checks.check(controller, NOW_MS)
    controller.elect(1)
    checks.check(controller, NOW_MS)
    assert checks.coverage.events["unclean recoveries"] == 1
    assert {"U4", "U5", "U6", "U8"} <= checks.coverage.rules.keys()


def test_another_election_in_the_same_step_makes_no_answer_stale(cluster, checks):
    """Seed 478300433: unclean elections were allowed while an operator's recovery ran."""
    controller = controller_of(cluster, n1=4, n2=2)
    checks.check(controller, NOW_MS)
    controller.lead_meanwhile(2)
    checks.check(controller, NOW_MS)
    controller.open = []
    checks.check(controller, NOW_MS)
    assert checks.coverage.events["unclean recoveries"] == 0


def test_an_answer_of_a_former_leader_epoch_is_found(cluster, checks):
    controller = controller_of(cluster, n1=4, n2=2)
    controller.lead_meanwhile(-1)
    with pytest.raises(Violation, match="U4: t-0: 1 answered in leader epoch 0, present is 1"):
        checks.check(controller, NOW_MS)


def test_a_false_answer_is_found(cluster, checks):
    with pytest.raises(Violation, match="U4: t-0: 2 answered"):
        checks.check(controller_of(cluster, n2=4), NOW_MS)


@pytest.mark.parametrize("deleted_count", [4, 3])
def test_an_answer_stays_true_after_retention_has_deleted_all_records(
    cluster, checks, deleted_count
):
    """Seed 75000564: a leader without records left its epoch, which is the last one then."""
    log = replica(cluster, 1, "t").log
    log.assign_epoch_start_offset(2, 4 if deleted_count == 4 else 3)
    assert log.increment_log_start_offset(deleted_count)
    controller = controller_of(cluster, n1=4, n2=2)
    if deleted_count < 4:
        with pytest.raises(Violation, match="U4: t-0: 1 answered"):
            checks.check(controller, NOW_MS)
        return
    checks.check(controller, NOW_MS)
    controller.elect(1)
    checks.check(controller, LATE_MS)
    assert checks.coverage.excuses["answer of a log that retention has emptied since"] > 0


def test_an_election_on_outdated_answers_is_found(cluster, checks):
    controller = controller_of(cluster, n3=4)
    checks.check(controller, NOW_MS)
    replica(cluster, 3, "t").log.truncate_to(3, cluster.nodes[3].now)
    controller.elect(3)
    with pytest.raises(Violation, match="U8: t-0: 3 is elected on"):
        checks.check(controller, LATE_MS)


def test_a_longer_log_among_the_answers_is_found(cluster, checks):
    controller = controller_of(cluster, n1=4, n2=2)
    checks.check(controller, NOW_MS)
    controller.elect(2)
    with pytest.raises(Violation, match="U6: t-0: 2 is elected"):
        checks.check(controller, LATE_MS)


def test_a_longer_log_that_was_not_asked_for_is_found(cluster, checks):
    """U5: Balanced hears all members of the LastKnownELR, Aggressive need not."""
    controller = controller_of(cluster, last_known=(1, 2), n2=2)
    checks.check(controller, NOW_MS)
    controller.elect(2)
    checks.check(controller, LATE_MS)
    controller = controller_of(cluster, Strategy.BALANCED, last_known=(1, 2), n2=2)
    controller.finished_count = 1
    checks.check(controller, NOW_MS)
    controller.elect(2)
    with pytest.raises(Violation, match="U6: t-0: 2 is elected"):
        checks.check(controller, LATE_MS)


def test_an_election_that_did_not_wait_is_found(cluster, checks):
    """U5: all replicas are waited for until the time is up."""
    controller = controller_of(cluster, n1=4)
    checks.check(controller, NOW_MS)
    controller.elect(1)
    with pytest.raises(Violation, match="U5: t-0: elected after 100 ms, without answers from"):
        checks.check(controller, NOW_MS + 100)


def test_a_deposed_controller_does_not_restart_the_recoveries_of_its_successor(cluster, checks):
    """A controller that was paused is active until it learns of the next epoch."""
    deposed, successor = controller_of(cluster, n1=4), controller_of(cluster, n1=4)
    successor.epoch = 2
    checks.check(deposed, NOW_MS)
    checks.check(successor, NOW_MS)
    checks.check(deposed, NOW_MS + 400)
    checks.check(successor, NOW_MS + 400)
    successor.elect(1)
    checks.check(successor, NOW_MS + AGGRESSIVE_WAIT_MS)
    assert checks.coverage.rules["U5"] == 1


def test_a_deposed_controller_may_have_outdated_answers(cluster, checks):
    """The log of an answer grows when the next controller has elected its replica."""
    deposed, successor = controller_of(cluster, n3=3), controller_of(cluster)
    successor.epoch = 2
    successor.lead(3)
    checks.check(successor, NOW_MS)
    checks.check(deposed, NOW_MS)
    assert not checks.coverage.rules["U4"]


@pytest.fixture
def staggered(cluster, checks):
    """Two recoveries with the answer of broker 1 only; that of t-0 began 100 ms after t-1's."""
    controller = controller_of(cluster, n1=4)
    (first,) = controller.open
    topic = controller.latest.topic("t")
    partitions = {0: topic.partitions[0], 1: topic.partitions[0]}
    topics = {**controller.latest.topics, topic.topic_id: replace(topic, partitions=partitions)}
    controller.latest = replace(controller.latest, topics=topics)
    second = first._replace(partition=TopicIdPartition(topic.topic_id, 1))
    controller.open = [second]
    checks.check(controller, NOW_MS)
    controller.open = [first, second]
    checks.check(controller, NOW_MS + 100)
    return controller


@pytest.mark.parametrize(
    "state", [LeaderRecoveryState.RECOVERED, LeaderRecoveryState.RECOVERING], ids=["ELR", "request"]
)
def test_another_partition_may_get_a_leader_in_the_step_of_a_decision(staggered, checks, state):
    """A member of the ELR is unfenced, or an operator elects a leader: neither waits."""
    staggered.lead(1, index=0, state=state)
    staggered.elect(1, index=1)
    checks.check(staggered, NOW_MS + AGGRESSIVE_WAIT_MS)


@pytest.mark.parametrize(
    ("first_election", "at_ms"),
    [
        (Controller.elect, NOW_MS + AGGRESSIVE_WAIT_MS),
        (Controller.lead, NOW_MS + AGGRESSIVE_WAIT_MS - 1),
    ],
    ids=["recovery", "request"],
)
def test_each_decision_of_a_step_must_have_waited(staggered, checks, first_election, at_ms):
    """U5: an election of another partition in the same step excuses itself only."""
    first_election(staggered, 1, index=0)
    staggered.elect(1, index=1)
    with pytest.raises(Violation, match="U5: t-0: elected after"):
        checks.check(staggered, at_ms)


def test_an_answer_of_an_earlier_process_and_one_of_an_earlier_leader_epoch(cluster, checks):
    """U4, U8."""
    controller = controller_of(cluster, n1=4)
    (recovery,) = controller.open
    answer = recovery.answers[1]
    controller.open = [recovery._replace(answers={1: answer._replace(broker_epoch=-5)})]
    with pytest.raises(Violation, match="U8: t-0: an answer of 1 has broker epoch -5"):
        checks.check(controller, NOW_MS)
    controller.open = [recovery]
    replica(cluster, 1, "t").leader_epoch -= 1
    with pytest.raises(Violation, match="U4: t-0: 1 answered in leader epoch -1, present is 0"):
        checks.check(controller, NOW_MS)
