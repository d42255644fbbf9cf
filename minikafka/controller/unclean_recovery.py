"""Unclean Recovery Manager: elects the replica with the longest log of a partition without leader.

It tracks the partitions without leader of the latest image, incrementally. If L3 and L4 or an
operator require a recovery, it asks all replicas for their log ends (U2) and elects by U5 and U6.
It writes nothing but the election, and keeps its state in memory only: a new active controller
starts each recovery again (U1).

A partition without leader is in one of the `RecoveryStep`s. Each may follow each other, so that no
`StateTable` is needed: `recovery_step` computes the step from the image, the configuration and the
requests. It is computed whenever the partition, one of its brokers, the configuration or an
operator's request changes, an answer arrives, or a deadline passes:
    WAIT_FOR_… -> RECOVER            the rules require a recovery: ask replicas, set a deadline
    RECOVER -> WAIT_FOR_…            the rules no longer require one: drop the answers
    any -> (removed)                 the partition has a leader, or was deleted

Invariants: an answer is kept only if it has the registered broker epoch and the leader epoch of the
partition (U4), and is dropped when its broker registers again or is fenced (U8); only unfenced
replicas are counted. Decisions are made one turn after their cause, many in one write.

Source: KIP-966 "Unclean Recovery Manager"; docs/rules.md U1-U8, L3, L4.
"""

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import InitVar, dataclass, field
from functools import partial
from typing import NamedTuple

from minikafka.common.environment import Environment
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicIdPartition
from minikafka.common.summed_lines import SummedLines
from minikafka.controller.broker_requests import BrokerRequestSender, LogInfoAnswer
from minikafka.controller.election import (
    Candidates,
    LogInfo,
    RecoveryStep,
    Strategy,
    recovery_step,
    recovery_winner,
    step_without_manager,
)
from minikafka.controller.operator_warnings import described_election
from minikafka.controller.partition_change import Target, known_leader
from minikafka.controller.ports import Controller
from minikafka.controller.recovery_case import (
    RecoveryCase,
    RecoveryRequest,
    ReplicaReport,
    last_known,
)
from minikafka.controller.recovery_lines import (
    ELECTS,
    ENDS,
    RESTARTS,
    STARTS,
    STOPS,
    recovery_lines,
)
from minikafka.controller.replica_index import IndexedPartition
from minikafka.controller.view import View
from minikafka.metadata.broker_registration import BrokerRegistration
from minikafka.metadata.image import MetadataImage
from minikafka.metadata.partition_registration import NO_LEADER
from minikafka.metadata.serde import MetadataRecord
from minikafka.rpc.calls import Calls

_log = logging.getLogger("minikafka.controller")
AGGRESSIVE_WAIT_MS = 5000
_CHECK_INTERVAL_MS = 5000


class RunningRecovery(NamedTuple):
    """The current state of a recovery; `answers` by broker id."""

    partition: TopicIdPartition
    strategy: Strategy
    answers: Mapping[int, ReplicaReport]


@dataclass(slots=True, eq=False, repr=False)
class _Turn:
    """One check of all changed partitions: one view, one write."""

    view: View
    lines: SummedLines
    records: list[MetadataRecord] = field(default_factory=list)
    elected: list[TopicIdPartition] = field(default_factory=list)
    strategies: dict[str, Strategy] = field(default_factory=dict)

    def strategy(self, topic: str) -> Strategy:
        """Return the strategy of a topic, computed once per turn."""
        found = self.strategies.get(topic)
        if found is None:
            found = self.strategies[topic] = self.view.strategy(topic)
        return found


@dataclass(slots=True, eq=False, repr=False)
class UncleanRecoveryManager:
    """The recoveries of one active controller.

    `finished_count` counts since the controller's process started.
    """

    env: Environment
    calls: InitVar[Calls]
    controller: Controller
    finished_count: int = 0
    _cases: dict[TopicIdPartition, RecoveryCase] = field(default_factory=dict)
    _dirty: dict[TopicIdPartition, None] = field(default_factory=dict)
    _alarms: dict[int, dict[TopicIdPartition, None]] = field(default_factory=dict)
    _image: MetadataImage = field(default_factory=MetadataImage)
    _generation: int = 0
    _scheduled: bool = False
    _checked_ms: int = 0
    sender: BrokerRequestSender = field(init=False)

    def __post_init__(self, calls: Calls) -> None:
        """Create the sender, whose answers this object handles."""
        self.sender = BrokerRequestSender(self.env, calls, self.controller, self)

    # What metrics show

    @property
    def recovering_count(self) -> int:
        """The number of partitions under recovery or waiting for LastKnownELR members."""
        return self._count(RecoveryStep.RECOVER) + self._count(RecoveryStep.WAIT_FOR_LAST_KNOWN)

    @property
    def manual_election_required_count(self) -> int:
        """The number of partitions without leader that need an operator's election."""
        return self._count(RecoveryStep.WAIT_FOR_OPERATOR)

    def running(self) -> Iterator[RunningRecovery]:
        """Yield every running recovery with the answers so far."""
        for key, case in self._cases.items():
            if case.strategy is not None:
                yield RunningRecovery(key, case.strategy, case.answers)

    def _count(self, step: RecoveryStep) -> int:
        return sum(case.step is step for case in self._cases.values())

    # The controller's life

    def stop(self) -> None:
        """Drop all recoveries: the controller is no longer active."""
        self._generation += 1
        self.sender.stop()
        self._cases, self._dirty, self._alarms = {}, {}, {}
        self._image = MetadataImage()
        self._scheduled = False

    def advanced(self, image: MetadataImage, changed: Iterable[TopicIdPartition]) -> None:
        """Update to a new latest image; `changed` partitions had no leader or have none now."""
        before, self._image = self._image, image
        for key in changed:
            self._dirty[key] = None
        if before.brokers is not image.brokers:
            self._brokers_changed(before, image)
        if before.configs is not image.configs:
            self._dirty.update(dict.fromkeys(self._cases))
        self._schedule()

    def _brokers_changed(self, before: MetadataImage, image: MetadataImage) -> None:
        for broker_id in {**before.brokers, **image.brokers}:
            was, now = before.brokers.get(broker_id), image.brokers.get(broker_id)
            if was is now:
                continue
            keep = was is not None and now is not None and _answer_survives(was, now)
            for key, case in self._cases.items():
                if broker_id in case.replicas:
                    self._dirty[key] = None
                    if not keep:
                        case.answers.pop(broker_id, None)
            self.sender.wake(broker_id)

    def heartbeat(self) -> None:
        """U7: every 5 s, restart recoveries that are stuck; called at each broker heartbeat."""
        now_ms = self.env.clock.monotonic_ms
        if not self.controller.is_active or now_ms - self._checked_ms < _CHECK_INTERVAL_MS:
            return
        self._checked_ms = now_ms
        self.sender.restart_stuck()
        index = self.controller.current_view().index
        if index.leaderless_count() != len(self._cases):
            for found in index.led_by(NO_LEADER):
                self._dirty[found.partition] = None
        lines = recovery_lines(_log)
        for key, case in self._cases.items():
            if case.strategy is None:
                continue
            if case.alarm_ms <= now_ms:
                self._dirty[key] = None
            if self._forgot_to_ask(key, case):
                self._dirty[key] = None
                lines.add(RESTARTS, case.name, "a replica was not being asked")
        lines.flush()
        self._scheduled = False
        self._schedule()

    def _forgot_to_ask(self, key: TopicIdPartition, case: RecoveryCase) -> bool:
        return any(
            broker_id not in case.answers
            and broker_id in self._image.brokers
            and not self.sender.is_asking(broker_id, key)
            for broker_id in case.replicas
        )

    # What operators ask

    def request(self, request: RecoveryRequest) -> None:
        """Recover partitions as an operator requests, regardless of the configuration.

        A request joins a running recovery; the strategy is that of the latest request.
        """
        for key in request.pending:
            case = self._cases.get(key)
            if case is None:
                found = _find(self.controller.current_view(), key)
                assert found is not None
                case = _case_of(found)
                self._cases[key] = case
            case.requests.append(request)
            self._dirty[key] = None
        self._schedule()

    def withdraw(self, request: RecoveryRequest) -> dict[TopicIdPartition, str]:
        """End a request that timed out; return what each of its partitions was waiting for.

        Without another request, the configuration decides again.
        """
        waited = {}
        for key in request.pending:
            case = self._cases.get(key)
            if case is not None and request in case.requests:
                waited[key] = case.waits_for
                case.requests.remove(request)
                self._dirty[key] = None
        self._schedule()
        return waited

    # Turns

    def _schedule(self) -> None:
        if self._dirty and not self._scheduled:
            self._scheduled = True
            self.env.after(0, partial(self._run, self._generation))

    def _run(self, generation: int) -> None:
        if generation != self._generation:
            return
        self._scheduled = False
        if not self.controller.is_active:
            return
        dirty, self._dirty = self._dirty, {}
        turn = _Turn(self.controller.current_view(), recovery_lines(_log))
        for key in dirty:
            self._look(turn, key)
        turn.lines.flush()
        if turn.records:
            self.controller.write_recoveries(turn.records)
            self.finished_count += len(turn.elected)
            for key in turn.elected:
                self._close(key, ErrorCode.NONE)

    def _look(self, turn: _Turn, key: TopicIdPartition) -> None:
        found = _find(turn.view, key)
        case = self._cases.get(key)
        if found is None or found.registration.leader != NO_LEADER:
            if case is not None:
                if case.strategy is not None:
                    why = (
                        "was deleted"
                        if found is None
                        else f"is led by broker {found.registration.leader}"
                    )
                    turn.lines.add(ENDS, case.name, f"the partition {why}")
                self._close(
                    key, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION if found is None else ErrorCode.NONE
                )
            return
        if case is None:
            case = self._cases[key] = _case_of(found)
        for broker_id in case.renew(found.registration):
            self.sender.drop(broker_id, key)
        wanted = self._wanted_strategy(turn, case, found)
        case.step = _step(turn.view, found, wanted)
        if case.step is RecoveryStep.RECOVER:
            assert wanted is not None
            self._recover(turn, key, case, found, wanted)
        elif case.strategy is not None:
            turn.lines.add(STOPS, case.name, case.step.value)
            self._end_recovery(key, case)

    def _wanted_strategy(
        self, turn: _Turn, case: RecoveryCase, found: IndexedPartition
    ) -> Strategy | None:
        if case.requests:
            return case.requests[-1].strategy
        return turn.strategy(found.topic.name) if turn.view.recovery_enabled else None

    def _recover(
        self,
        turn: _Turn,
        key: TopicIdPartition,
        case: RecoveryCase,
        found: IndexedPartition,
        strategy: Strategy,
    ) -> None:
        if case.strategy is not strategy:
            case.strategy = strategy
            case.started_ms = self.env.clock.monotonic_ms
            turn.lines.add(STARTS, case.name, case.reason(found.registration))
        for broker_id in case.replicas:
            if broker_id not in case.answers and broker_id in turn.view.image.brokers:
                self.sender.ask(broker_id, key)
        self._decide(turn, key, case, found)

    def _decide(
        self, turn: _Turn, key: TopicIdPartition, case: RecoveryCase, found: IndexedPartition
    ) -> None:
        registration = found.registration
        acceptable = turn.view.acceptable(registration)
        is_balanced = case.strategy is Strategy.BALANCED
        wait_ms = turn.view.recovery_timeout_ms if is_balanced else AGGRESSIVE_WAIT_MS
        deadline_ms = case.started_ms + wait_ms
        time_is_up = self.env.clock.monotonic_ms >= deadline_ms
        # A broker without the API never answers: it is waited for only until the time is up.
        needed = [
            x
            for x in (last_known(registration) if is_balanced else ())
            if not (time_is_up and self.sender.is_mute(x))
        ]
        brokers = turn.view.image.brokers
        counted = {
            x: answer.log
            for x, answer in case.answers.items()
            if acceptable(x) and brokers[x].epoch == answer.broker_epoch
        }
        winner = recovery_winner(
            counted,
            needed=tuple(needed),
            expected=len(registration.replicas),
            time_is_up=time_is_up,
        )
        if winner == NO_LEADER:
            self._set_alarm(key, case, deadline_ms)
            return
        record = turn.view.change(found, Target(), designated=winner)
        assert record is not None
        turn.records.append(record)
        turn.elected.append(key)
        logs = "; ".join(
            f"{x}: epoch {answer.log.last_epoch}, end {answer.log.end_offset}"
            + ("" if x in counted else ", fenced")
            for x, answer in sorted(case.answers.items())
        )
        elected = described_election(registration, registration.merge(record))
        turn.lines.add(ELECTS, case.name, f"{elected}; the longest log of ({logs})")

    def _set_alarm(self, key: TopicIdPartition, case: RecoveryCase, at_ms: int) -> None:
        """Check a recovery again at `at_ms`; recoveries with the same deadline share a timer."""
        if case.alarm_ms == at_ms or at_ms <= self.env.clock.monotonic_ms:
            return
        case.alarm_ms = at_ms
        keys = self._alarms.get(at_ms)
        if keys is None:
            keys = self._alarms[at_ms] = {}
            delay_ms = at_ms - self.env.clock.monotonic_ms
            self.env.after(delay_ms, partial(self._alarm, self._generation, at_ms))
        keys[key] = None

    def _alarm(self, generation: int, at_ms: int) -> None:
        if generation == self._generation:
            for key in self._alarms.pop(at_ms, {}):
                if key in self._cases:
                    self._dirty[key] = None
            self._schedule()

    # Answers

    def answered(self, answer: LogInfoAnswer) -> list[TopicIdPartition]:
        """Handle a broker's answer; return the rejected partitions, to be asked again (U4)."""
        broker_id = answer.broker_id
        broker = self._image.brokers.get(broker_id)
        is_registered = broker is not None and broker.epoch == answer.broker_epoch
        again = []
        for key, row in answer.rows:
            case = self._cases.get(key)
            if case is None or case.strategy is None or broker_id not in case.replicas:
                continue
            if not is_registered or row.error_code or row.current_leader_epoch != case.leader_epoch:
                again.append(key)
                continue
            log = LogInfo(row.last_written_leader_epoch, row.log_end_offset)
            case.answers[broker_id] = ReplicaReport(log, answer.broker_epoch)
            self._dirty[key] = None
        self._schedule()
        return again

    def muted(self, broker_id: int) -> None:
        """Decide again about the partitions of a broker that cannot answer."""
        for key, case in self._cases.items():
            if broker_id in case.replicas:
                self._dirty[key] = None
        self._schedule()

    # Ends

    def _end_recovery(self, key: TopicIdPartition, case: RecoveryCase) -> None:
        for broker_id in case.replicas:
            self.sender.drop(broker_id, key)
        case.end_recovery()

    def _close(self, key: TopicIdPartition, result: ErrorCode) -> None:
        case = self._cases.pop(key)
        self._end_recovery(key, case)
        for request in case.requests:
            request.results[key] = result
            request.pending.pop(key, None)
            self.env.notify(request)


def _find(view: View, key: TopicIdPartition) -> IndexedPartition | None:
    topic = view.image.topics.get(key.topic_id)
    return None if topic is None else view.find(topic, key.partition)


def _case_of(found: IndexedPartition) -> RecoveryCase:
    registration = found.registration
    return RecoveryCase(
        f"{found.topic.name}-{found.partition.partition}",
        RecoveryStep.WAIT_FOR_ELIGIBLE,
        registration.replicas,
        registration.leader_epoch,
    )


def _answer_survives(was: BrokerRegistration, now: BrokerRegistration) -> bool:
    """U8: True if a broker's answers stay valid after a change of its registration."""
    return was.epoch == now.epoch and not (now.fenced and not was.fenced)


def _step(view: View, found: IndexedPartition, strategy: Strategy | None) -> RecoveryStep:
    registration = found.registration
    if strategy is None:
        return step_without_manager(
            Candidates(
                registration.replicas,
                registration.isr,
                registration.elr,
                NO_LEADER,
                known_leader(registration),
            ),
            unclean_allowed=view.unclean_allowed(found.topic.name),
        )
    return recovery_step(
        registration.isr or registration.elr,
        last_known(registration),
        strategy,
        view.acceptable(registration),
    )
