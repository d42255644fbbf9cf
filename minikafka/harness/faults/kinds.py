"""The begin and end of each kind of fault.

A `FaultAction` lives from its begin to its end: `begin` breaks something and returns a description,
`end` heals it. Both raise HarnessError; `NotDoneError` means that the cluster does not support the
fault.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from minikafka.harness.clusters.cluster import FAILURES, ClusterUnderTest
from minikafka.harness.clusters.network import OUTSIDE, Network, NotDoneError, unable
from minikafka.harness.clusters.quorum import QuorumView
from minikafka.harness.faults.operator_actions import Operator
from minikafka.harness.faults.quorum_waits import Failover, QuorumWaits
from minikafka.harness.plan.schedule import (
    BROKERS,
    CLIENTS,
    CONTROLLER,
    DEPOSING,
    EXCLUSIVE,
    STANDBY,
    PlannedFault,
    leader_of,
)
from minikafka.harness.plan.settings import HarnessError

_WHOLE_TIMEOUT_S = 20.0
_LEADER_EVERY_S = 0.2
_LEADER_TRIES = 50
_REFILLED_TIMEOUT_S = 60.0
_VOTERS_MIN = 3


class DoneInPartError(HarnessError):
    """Only some targets were broken, and they are healed again; the message says which and why."""


class Sight(Protocol):
    """The state of the topic at the watcher's last poll."""

    def leader_of(self, partition: int) -> int | None:
        """The leader; None if there was none."""

    @property
    def is_whole(self) -> bool:
        """True if every replica was in sync."""


class StreamControl(Protocol):
    """The operations of faults on Spark. They return at once, without waiting for Spark."""

    def stop_stream(self) -> None:
        """Stop the streaming query."""

    def start_stream(self) -> None:
        """Start the streaming query from its checkpoint."""

    def kill(self) -> None:
        """Kill all of Spark's processes with SIGKILL."""

    def revive(self) -> None:
        """Start Spark and the stream again."""


@dataclass(slots=True)
class FaultStage:
    """The objects that faults act on. `wait` waits some seconds; True if the run must end now."""

    cluster: ClusterUnderTest
    operator: Operator
    sight: Sight
    min_isr: int
    wait: Callable[[float], bool]
    spark: StreamControl | None = None
    ask_quorum: Callable[[], QuorumView | None] = lambda: None

    @property
    def quorum(self) -> QuorumWaits:
        """The waits for states of the quorum."""
        return QuorumWaits(self.ask_quorum, self.wait)

    @property
    def has_standby(self) -> bool:
        """True if another voter can replace the active controller."""
        return len(self.cluster.voters) >= _VOTERS_MIN

    def touches_voters(self, fault: PlannedFault) -> bool:
        """True if a target of the fault is, or may be, a voter."""
        voters = set(self.cluster.voters)
        return any(
            target in voters
            if isinstance(target, int)
            else target in (CONTROLLER, STANDBY)
            or (target != CLIENTS and not voters.isdisjoint(self.cluster.brokers))
            for target in fault.targets
        )

    def resolve(self, fault: PlannedFault) -> list[int]:
        """Return the nodes that the targets currently stand for, each once.

        Raises:
            HarnessError: if no node currently has the role that a target names.
        """
        found: dict[int, None] = {}
        for target in fault.targets:
            if target == BROKERS:
                found |= dict.fromkeys(self.cluster.brokers)
                if not self.cluster.brokers:
                    raise NotDoneError("the brokers of this cluster are unknown")
            elif target == CLIENTS:
                found[OUTSIDE] = None
            elif target == CONTROLLER:
                found[self._active_controller()] = None
            elif target == STANDBY:
                found[self._standby()] = None
            elif isinstance(target, int):
                found[target] = None
            elif (partition := leader_of(target)) is not None:
                found[self._await_leader(partition)] = None
        return list(found)

    def _active_controller(self) -> int:
        if len(self.cluster.voters) == 1:
            return self.cluster.voters[0]
        return self.quorum.leader().leader

    def _standby(self) -> int:
        node = self.quorum.leader().standby
        if node is None:
            raise NotDoneError("the quorum has only one voter")
        return node

    def _await_leader(self, partition: int) -> int:
        for _ in range(_LEADER_TRIES):
            leader = self.sight.leader_of(partition)
            if leader is not None:
                return leader
            if self.wait(_LEADER_EVERY_S):
                break
        raise HarnessError(f"partition {partition} had no leader")

    def network(self, kind: str) -> Network:
        """Return the network; raise NotDoneError if it does not support this kind of fault."""
        network = self.cluster.network
        reason = unable(network, kind)
        if reason or network is None:
            raise NotDoneError(reason)
        return network


@dataclass(slots=True)
class FaultAction:
    """One fault in progress."""

    stage: FaultStage
    plan: PlannedFault
    nodes: Sequence[int]
    undo: list[Callable[[], None]] = field(default_factory=list)
    failover: Failover | None = None

    def begin(self) -> str:
        """Break the targets; return a description of what was done.

        A fault of the active controller has begun when another controller is active: `failover`
        tells which, and stays None if there is none in time. `nodes` is then the controller that
        was active immediately before.

        Raises:
            HarnessError: if the fault was not done; `undo` heals what was done in part.
        """
        _prepare(self)
        if not self._deposes:
            return _BEGIN[self.plan.kind](self)
        before = self.stage.quorum.leader()
        self.nodes = [before.leader]
        did = _BEGIN[self.plan.kind](self)
        self.failover = self.stage.quorum.failover(before)
        if self.failover is None:
            return f"{did}; no other controller became active"
        return (
            f"{did}; after {self.failover.seconds:.1f} s node {self.failover.after} was the active"
            f" controller, in epoch {self.failover.epoch_after}"
        )

    @property
    def _deposes(self) -> bool:
        is_controller = self.plan.targets == (CONTROLLER,)
        return is_controller and self.plan.kind in DEPOSING and self.stage.has_standby

    def end(self) -> None:
        """Heal the targets in reverse order.

        Raises:
            Exception: the first of the `FAILURES`; the other targets are healed nevertheless.
        """
        errors: list[Exception] = []
        while self.undo:
            try:
                self.undo.pop()()
            except FAILURES as error:
                errors.append(error)
        if errors:
            raise errors[0]


def _kill(fault: FaultAction) -> str:
    cluster = fault.stage.cluster
    cluster.kill(*fault.nodes)
    fault.undo.append(lambda: cluster.start(*fault.nodes))
    return f"SIGKILL to {_names(fault.nodes)}"


def _restart(fault: FaultAction) -> str:
    cluster = fault.stage.cluster
    if cluster.restarts_at_once:
        cluster.restart(*fault.nodes)
        return f"{_names(fault.nodes)} restarted in a controlled way"
    cluster.stop(*fault.nodes)
    fault.undo.append(lambda: cluster.start(*fault.nodes))
    return f"{_names(fault.nodes)} shut down in a controlled way"


def _rolling_restart(fault: FaultAction) -> str:
    cluster = fault.stage.cluster
    for count, node in enumerate(fault.nodes):
        if count and fault.stage.wait(0.0):
            raise DoneInPartError(f"{_names(fault.nodes[:count])} restarted, then the run ended")
        if cluster.restarts_at_once:
            cluster.restart(node)
            continue
        cluster.stop(node)
        fault.stage.wait(fault.plan.duration_s)
        cluster.start(node)
    return f"{_names(fault.nodes)} restarted one after the other"


def _pause(fault: FaultAction) -> str:
    cluster = fault.stage.cluster
    cluster.pause(*fault.nodes)
    fault.undo.append(lambda: cluster.resume(*fault.nodes))
    return f"SIGSTOP to {_names(fault.nodes)}"


def _power_cut(fault: FaultAction) -> str:
    stage = fault.stage
    said = []
    for node in fault.nodes:
        said.append(f"node {node}: {stage.cluster.cut_power(node)}")
        fault.undo.append(lambda node=node: stage.cluster.start(node))  # type: ignore[misc]
    return "; ".join(said)


def _await_whole(stage: FaultStage) -> None:
    deadline_s = time.monotonic() + _WHOLE_TIMEOUT_S
    while not stage.sight.is_whole:
        if time.monotonic() > deadline_s or stage.wait(0.1):
            raise HarnessError(
                "not every replica was in sync, so min.insync.replicas would not protect against"
                " the loss"
            )


def _wipe(fault: FaultAction) -> str:
    cluster, [node] = fault.stage.cluster, fault.nodes
    cluster.kill(node)
    fault.undo.append(lambda: _start_caught_up(fault, node))
    return f"node {node}: {cluster.wipe(node)}"


def _old_metadata(fault: FaultAction) -> str:
    stage, cluster, [node] = fault.stage, fault.stage.cluster, fault.nodes
    if node not in cluster.voters:
        raise NotDoneError(f"node {node} is no controller")
    cluster.kill(node)
    fault.undo.append(lambda: _start_caught_up(fault, node))
    cluster.copy_metadata(node)
    cluster.start(node)
    stage.quorum.caught_up(node)
    stage.wait(fault.plan.duration_s)
    cluster.kill(node)
    return f"node {node}: {cluster.restore_metadata(node)}"


def _prepare(fault: FaultAction) -> None:
    """Wait until the cluster can tolerate a fault that loses data or votes.

    Raises:
        NotDoneError: if the quorum needs this voter.
        HarnessError: if another voter or a replica is behind.
    """
    stage = fault.stage
    if fault.plan.kind == "power-cut" and fault.plan.parameter("when_whole"):
        _await_whole(stage)
    if fault.plan.kind not in EXCLUSIVE:
        return
    if not set(fault.nodes).isdisjoint(stage.cluster.voters):
        if not stage.has_standby:
            raise NotDoneError("the other controllers are no majority, so metadata would be lost")
        stage.quorum.all_caught_up()
    if not set(fault.nodes).isdisjoint(stage.cluster.brokers):
        _await_whole(stage)


def _start_caught_up(fault: FaultAction, node: int) -> None:
    """Start a node, and wait until it has all that it lost."""
    stage = fault.stage
    stage.cluster.start(node)
    if node in stage.cluster.voters:
        stage.quorum.caught_up(node)
    if node not in stage.cluster.brokers:
        return
    deadline_s = time.monotonic() + _REFILLED_TIMEOUT_S
    while not stage.sight.is_whole:
        if time.monotonic() > deadline_s:
            raise HarnessError(f"node {node} did not return to the ISR of every partition")
        time.sleep(_LEADER_EVERY_S)


def _partition(fault: FaultAction) -> str:
    network = fault.stage.network(fault.plan.kind)
    if len(fault.nodes) != 2:
        raise HarnessError(f"both targets are {_names(fault.nodes)}")
    source, target = fault.nodes
    _cut(fault, network, source, target)
    if fault.plan.parameter("one_way"):
        return f"nothing passes from {_name(source)} to {_name(target)}"
    _cut(fault, network, target, source)
    return f"nothing passes between {_name(source)} and {_name(target)}"


def _isolate(fault: FaultAction) -> str:
    stage = fault.stage
    network = stage.network(fault.plan.kind)
    others = [*stage.cluster.node_ids]
    if fault.plan.parameter("from_clients"):
        others.append(OUTSIDE)
    for node in fault.nodes:
        for other in others:
            if other != node:
                _cut(fault, network, node, other)
                _cut(fault, network, other, node)
    return f"nothing passes between {_names(fault.nodes)} and the others"


def _cut(fault: FaultAction, network: Network, source: int, target: int) -> None:
    network.cut(source, target)
    fault.undo.append(lambda: network.join(source, target))


def _shape(parameter: str, what: str) -> Callable[[FaultAction], str]:
    def begin(fault: FaultAction) -> str:
        kind, value = fault.plan.kind, fault.plan.parameter(parameter)
        network = fault.stage.network(kind)
        for node in fault.nodes:
            network.shape(node, kind, value)
            fault.undo.append(lambda node=node: network.shape(node, kind, 0))  # type: ignore[misc]
        return f"{what.format(value)} at {_names(fault.nodes)}"

    return begin


def _slow_fsync(fault: FaultAction) -> str:
    cluster, delay_ms = fault.stage.cluster, fault.plan.parameter("ms")
    for node in fault.nodes:
        cluster.slow_sync(node, delay_ms)
        fault.undo.append(lambda node=node: cluster.slow_sync(node, 0))  # type: ignore[misc]
    return f"each fsync of {_names(fault.nodes)} takes {delay_ms} ms longer"


def _full_disk(fault: FaultAction) -> str:
    cluster = fault.stage.cluster
    said = []
    for node in fault.nodes:
        said.append(f"node {node}: {cluster.fill_disk(node)}")
        fault.undo.append(lambda node=node: _free_disk(cluster, node))  # type: ignore[misc]
    return "; ".join(said)


def _free_disk(cluster: ClusterUnderTest, node: int) -> None:
    cluster.free_disk(node)
    if cluster.is_alive(node):
        cluster.kill(node)
    cluster.start(node)


def _clock_offset(fault: FaultAction) -> str:
    cluster, seconds = fault.stage.cluster, fault.plan.parameter("seconds")
    for node in fault.nodes:
        cluster.shift_clock(node, seconds * 1000)
        fault.undo.append(lambda node=node: cluster.shift_clock(node, 0))  # type: ignore[misc]
    return f"the clock of {_names(fault.nodes)} is shifted by {seconds} s"


def _min_isr(fault: FaultAction) -> str:
    stage, value = fault.stage, fault.plan.parameter("value")
    stage.operator.set_min_isr(value)
    fault.undo.append(lambda: stage.operator.set_min_isr(stage.min_isr))
    return f"min.insync.replicas is {value} instead of {stage.min_isr}"


def _elr_off(fault: FaultAction) -> str:
    operator = fault.stage.operator
    level = operator.elr_level()
    if level == 0:
        raise NotDoneError("ELR is already off in this cluster")
    operator.set_elr_level(0)
    fault.undo.append(lambda: operator.set_elr_level(level))
    return f"ELR is off instead of at level {level}"


def _elect(fault: FaultAction) -> str:
    kind = fault.plan.parameter("type")
    return f"{kind} election: {fault.stage.operator.elect(kind)}"


def _stream_restart(fault: FaultAction) -> str:
    spark = _spark(fault)
    spark.stop_stream()
    fault.undo.append(spark.start_stream)
    return "the streaming query was asked to stop"


def _stream_kill(fault: FaultAction) -> str:
    spark = _spark(fault)
    spark.kill()
    fault.undo.append(spark.revive)
    return "SIGKILL to Spark's driver and its JVM"


def _spark(fault: FaultAction) -> StreamControl:
    if fault.stage.spark is None:
        raise NotDoneError("no streaming query runs in this run")
    return fault.stage.spark


def _name(node: int) -> str:
    return "the clients" if node == OUTSIDE else f"node {node}"


def _names(nodes: Sequence[int]) -> str:
    if len(nodes) == 1:
        return f"node {nodes[0]}"
    return f"nodes {', '.join(map(str, nodes))}"


_BEGIN: Mapping[str, Callable[[FaultAction], str]] = {
    "kill": _kill,
    "restart": _restart,
    "pause": _pause,
    "rolling-restart": _rolling_restart,
    "power-cut": _power_cut,
    "wipe": _wipe,
    "old-voter": _old_metadata,
    "cut": _partition,
    "isolate": _isolate,
    "slow-node": _shape("ms", "{} ms more for each packet"),
    "loss": _shape("percent", "loss of {} %"),
    "bandwidth": _shape("kbit_s", "bandwidth of {} kbit/s"),
    "slow-disk": _slow_fsync,
    "full-disk": _full_disk,
    "clock": _clock_offset,
    "min-isr": _min_isr,
    "elr-off": _elr_off,
    "elect": _elect,
    "stream-restart": _stream_restart,
    "stream-kill": _stream_kill,
}
"""One entry for each kind of `schedule.KINDS`."""
