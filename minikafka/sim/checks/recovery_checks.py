"""U4-U6, U8: an unclean recovery elects the longest log of the present processes.

An answer that a controller holds must be from the registered process and the present leader epoch,
and must match the log of the replica: a log does not change while there is no leader. A recovery
waits for all replicas until its timeout. At an election no replica that has answered, and none of
the LastKnownELR under Balanced, may have a longer log than the elected one.

A controller that does not know the next epoch yet is not checked: its records are never committed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from minikafka.common.ids import TopicIdPartition, TopicPartition
from minikafka.controller.election import Strategy
from minikafka.controller.quorum_controller import QuorumController
from minikafka.controller.unclean_recovery import AGGRESSIVE_WAIT_MS, RunningRecovery
from minikafka.metadata.image import MetadataImage
from minikafka.metadata.partition_registration import NO_LEADER, LeaderRecoveryState
from minikafka.replica.partition import Partition
from minikafka.sim.checks.coverage import Coverage
from minikafka.sim.world.sim_node import SimNode
from minikafka.sim.world.violation import Violation


class Rank(NamedTuple):
    """The order of logs in a recovery (U6)."""

    last_epoch: int
    end_offset: int


@dataclass(slots=True)
class _Open:
    """The state of a recovery at its last check."""

    where: TopicPartition
    strategy: Strategy
    replicas: tuple[int, ...]
    needed: tuple[int, ...]
    since_ms: int
    answers: dict[int, Rank] = field(default_factory=dict)


@dataclass(slots=True)
class RecoveryChecks:
    """Checks the recoveries of the active controller after every step."""

    nodes: Mapping[int, SimNode]
    coverage: Coverage = field(default_factory=Coverage)
    _open: dict[TopicIdPartition, _Open] = field(default_factory=dict)
    _finished: int = 0
    _epoch: int = -1
    """The controller epoch of the recoveries that are followed."""

    def check(self, controller: QuorumController, now_ms: int) -> None:
        """Check after a step of the controller; `now_ms` is its monotonic clock.

        Raises:
            Violation: an answer is stale, or another replica has a longer log.
        """
        if not controller.is_active or controller.epoch < self._epoch:
            return
        if controller.epoch > self._epoch:
            # U1: another controller begins every recovery again.
            self._epoch, self._finished = controller.epoch, controller.recovery.finished_count
            self._open.clear()
        running = list(controller.recovery.running())
        finished = controller.recovery.finished_count
        if finished > self._finished:
            self.coverage.events["unclean recoveries"] += finished - self._finished
            self._check_decisions(controller, finished - self._finished, running, now_ms)
        self._finished = finished
        if running or self._open:
            former, self._open = self._open, {}
            for each in running:
                known = former.get(each.partition)
                is_same = known is not None and known.strategy is each.strategy
                since_ms = known.since_ms if known is not None and is_same else now_ms
                self._follow(controller.latest, each, since_ms)

    def _check_decisions(
        self,
        controller: QuorumController,
        count: int,
        running: list[RunningRecovery],
        now_ms: int,
    ) -> None:
        """Check the `count` recoveries that have elected a leader in this step."""
        still_open = [each.partition for each in running]
        led = [
            (key, before)
            for key, before in self._open.items()
            if key not in still_open and _is_unclean(controller.latest, key)
        ]
        problems = []
        for key, before in led:
            problem = self._unheard(controller, before, now_ms) or self._outranked(
                controller.latest, key, before
            )
            if problem is not None:
                problems.append(problem)
        # An operator may have elected further leaders in the same step.
        if len(problems) > max(0, len(led) - count):
            raise Violation(problems[0])

    def _unheard(self, controller: QuorumController, before: _Open, now_ms: int) -> str | None:
        """U5: return the violation of a recovery that did not wait until its timeout."""
        view = controller.view
        if view is None:
            return None
        self.coverage.rules["U5"] += 1
        is_balanced = before.strategy is Strategy.BALANCED
        wait_ms = view.recovery_timeout_ms if is_balanced else AGGRESSIVE_WAIT_MS
        # The last answer may arrive in the step of the election.
        missing = [x for x in before.replicas if x not in before.answers]
        if now_ms - before.since_ms >= wait_ms or len(missing) <= 1:
            return None
        return (
            f"U5: {before.where}: elected after {now_ms - before.since_ms} ms, without answers "
            f"from {missing}"
        )

    def _follow(self, image: MetadataImage, recovery: RunningRecovery, since_ms: int) -> None:
        key = recovery.partition
        topic = image.topics.get(key.topic_id)
        if topic is None:
            return
        registration = topic.partitions[key.partition]
        if registration.leader != NO_LEADER:
            # It was elected by other means in this step: the recovery ends in its next turn.
            return
        now = self._open[key] = _Open(
            TopicPartition(topic.name, key.partition),
            recovery.strategy,
            registration.replicas,
            tuple(x for x in registration.last_known_elr if x in registration.replicas),
            since_ms,
        )
        for broker_id, answer in recovery.answers.items():
            said = Rank(answer.log.last_epoch, answer.log.end_offset)
            now.answers[broker_id] = said
            registered = image.brokers.get(broker_id)
            self.coverage.rules["U8"] += 1
            if registered is not None and registered.epoch != answer.broker_epoch:
                raise Violation(
                    f"U8: {now.where}: an answer of {broker_id} has broker epoch "
                    f"{answer.broker_epoch}, the registered one is {registered.epoch}"
                )
            self._check_leader_epoch(now.where, broker_id, registration.leader_epoch)
            self._check_answer(now.where, broker_id, said, answer.broker_epoch)

    def _check_leader_epoch(self, where: TopicPartition, broker_id: int, leader_epoch: int) -> None:
        """A broker answers only after it has learned that there is no leader, and follows none."""
        held = self._replica(broker_id, where)
        if held is not None and held.leader_epoch < leader_epoch:
            raise Violation(
                f"U4: {where}: {broker_id} answered in leader epoch {held.leader_epoch}, present "
                f"is {leader_epoch}"
            )

    def _check_answer(self, where: TopicPartition, broker_id: int, said: Rank, epoch: int) -> None:
        self.coverage.rules["U4"] += 1
        actual = self._rank(broker_id, where, epoch, said=said)
        if actual is not None and actual != said:
            raise Violation(f"U4: {where}: {broker_id} answered {said}, its log is {actual}")

    def _outranked(self, image: MetadataImage, key: TopicIdPartition, before: _Open) -> str | None:
        """U6, U8: return the violation of a recovery that elected another log than the longest."""
        where, winner = before.where, image.topics[key.topic_id].partitions[key.partition].leader
        said = before.answers.get(winner)
        elected = self._rank(winner, where, said=said)
        if elected is None:
            # It has crashed, and the controller cannot know that yet.
            return None
        if said is not None and elected != said:
            return f"U8: {where}: {winner} is elected on {said}, its log is {elected}"
        rivals = list(before.answers)
        if before.strategy is Strategy.BALANCED:
            rivals += before.needed
        for rival in rivals:
            if not image.broker_is_active(rival):
                continue
            self.coverage.rules["U6"] += rival != winner
            epoch = image.brokers[rival].epoch
            its = self._rank(rival, where, epoch, said=before.answers.get(rival))
            if its is not None and its > elected:
                return f"U6: {where}: {winner} is elected with {elected}, {rival} has {its}"
        return None

    def _replica(
        self, broker_id: int, where: TopicPartition, broker_epoch: int | None = None
    ) -> Partition | None:
        """Return a replica of a serving broker, with this broker epoch, if given."""
        node = self.nodes.get(broker_id)
        if node is None or node.node is None or not node.started or node.node.broker is None:
            return None
        if broker_epoch is not None and node.node.broker.local.broker_epoch != broker_epoch:
            return None
        return node.node.broker.replicas.partitions.get(where)

    def _rank(
        self,
        broker_id: int,
        where: TopicPartition,
        broker_epoch: int | None = None,
        *,
        said: Rank | None = None,
    ) -> Rank | None:
        """Return the rank of a replica's log; None if its broker does not serve with this epoch.

        Retention may have deleted all records since the broker `said` its rank. The epoch that the
        log still has is then that of its last leader, which may have written no record.
        """
        held = self._replica(broker_id, where, broker_epoch)
        if held is None:
            return None
        log = held.log
        epoch = log.last_written_epoch
        rank = Rank(-1 if epoch is None else epoch, log.log_end_offset)
        is_empty = log.log_start_offset == log.log_end_offset
        if said is not None and is_empty and said.end_offset == rank.end_offset and said < rank:
            self.coverage.excuses["answer of a log that retention has emptied since"] += 1
            return said
        return rank


def _is_unclean(image: MetadataImage, key: TopicIdPartition) -> bool:
    """Return True if a partition has an unclean leader, as each recovery elects one (L8)."""
    topic = image.topics.get(key.topic_id)
    now = None if topic is None else topic.partitions.get(key.partition)
    return (
        now is not None
        and now.leader != NO_LEADER
        and now.leader_recovery_state is LeaderRecoveryState.RECOVERING
    )
