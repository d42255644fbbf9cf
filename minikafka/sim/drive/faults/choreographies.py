"""Faults in several acts, which wait for events of the protocol.

A choreography is a generator that yields what it waits for, as handlers do (`serving.steps`); the
driver below resumes it when that has happened. Healing ends every choreography.
"""

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from functools import partial
from random import Random

from minikafka.sim.drive.faults.fault_context import (
    START_AGAIN_MS,
    STUCK_SHARE,
    FaultContext,
    Inject,
    Undo,
)
from minikafka.sim.drive.incidents import Fault, Incident
from minikafka.sim.world.crashes import Crash
from minikafka.sim.world.network import Clog, SimNetwork
from minikafka.sim.world.sim_cluster import host
from minikafka.sim.world.sim_node import SimNode

_REQUEST_TIMEOUT_MS = 5_000
"""The time that a choreography waits for an AlterPartition request."""
_NEXT_ATTEMPT_MS = 500
_OPERATIONS_OF_A_MOVE = (5, 20, 60)
_BEFORE_STOP_MS = (0, 1, 2, 5, 20, 100, 500)
_KILLED_SHARE = 0.3
_OUT_FOR_MS = (0, 5_000, 15_000)
"""A broker that was killed registers only when its former session has ended."""
_CUT_MS = 8_000
"""The longest time that a leader of the quorum is cut off; another one needs less."""


@dataclass(frozen=True, slots=True)
class Delay:
    """Resume after `delay_ms`."""

    delay_ms: int


@dataclass(frozen=True, slots=True)
class Until:
    """Resume as soon as a polled condition holds."""

    condition: Callable[[], bool]


@dataclass(frozen=True, slots=True)
class UntilControllerStep:
    """Resume after the first step of a controller that makes a condition true."""

    condition: Callable[[], bool]


@dataclass(frozen=True, slots=True)
class UntilMove:
    """Resume after the first step of a node in which a replica moves between directories."""

    node: SimNode


@dataclass(frozen=True, slots=True)
class UntilIsrExpansion:
    """Resume after the step in which a leader asks the controller to add a member to an ISR.

    The result is an `IsrExpansion`, or None after `_REQUEST_TIMEOUT_MS`. `member` None is any.
    """

    member: int | None = None


@dataclass(frozen=True, slots=True)
class IsrExpansion:
    """An AlterPartition request that is under way: its sender, and the member that it adds."""

    leader: int
    member: int


Wait = Delay | Until | UntilControllerStep | UntilMove | UntilIsrExpansion
Acts = Generator[Wait, IsrExpansion | None, None]


@dataclass(slots=True, eq=False)
class _Parked:
    """A choreography and what it waits for."""

    acts: Acts
    wait: Wait


@dataclass(slots=True)
class Choreographies:
    """Runs choreographies.

    `lose_power` is the plain power loss, for nodes that they do not fit. `is_rotten` is True for a
    node with damaged disks.
    """

    context: FaultContext
    lose_power: Inject
    is_rotten: Callable[[int], bool]
    _for_controller: list[_Parked] = field(default_factory=list)
    _for_move: list[_Parked] = field(default_factory=list)
    _for_expansion: list[_Parked] = field(default_factory=list)
    _is_cutting: bool = False
    """Leaders of the quorum are being cut off."""

    @property
    def actions(self) -> Mapping[Fault, Inject]:
        """The method for each fault."""
        return {
            Fault.CRASH_AFTER_REJOIN: self._start_crash_after_rejoin,
            Fault.CRASH_AFTER_LOG_INFO: self._starting(self._crash_after_log_info),
            Fault.ABORT: self._starting(self._abort),
            Fault.CRASH_IN_MOVE: self._starting(self._crash_in_move),
            Fault.DIRECTORY_OUT: self._starting(self._take_directory_out),
            Fault.CUT_LEADERS: self._starting(self._cut_leaders),
        }

    def _starting(self, choreography: Callable[[Incident], Acts]) -> Inject:
        def inject(incident: Incident) -> None:
            self._resume(choreography(incident))

        return inject

    # The driver

    def _resume(self, acts: Acts, result: IsrExpansion | None = None) -> None:
        """Run a choreography to its next wait."""
        try:
            wait = acts.send(result)
        except StopIteration:
            return
        match wait:
            case Delay():
                self.context.later(wait.delay_ms, partial(self._resume, acts))
            case Until():
                self.context.when(wait.condition, partial(self._resume, acts))
            case UntilControllerStep():
                self._for_controller.append(_Parked(acts, wait))
            case UntilMove():
                self._for_move.append(_Parked(acts, wait))
            case UntilIsrExpansion():
                parked = _Parked(acts, wait)
                self._for_expansion.append(parked)
                self.context.later(_REQUEST_TIMEOUT_MS, partial(self._time_out, parked))

    def _time_out(self, parked: _Parked) -> None:
        if parked in self._for_expansion:
            self._for_expansion.remove(parked)
            self._resume(parked.acts)

    def stepped(self, node: SimNode) -> None:
        """Resume the choreographies that wait for what a step of a node has done.

        One request resumes one choreography.
        """
        if self.context.is_over:
            return
        if self._for_controller and node.config.is_controller:
            self._controller_stepped()
        if self._for_move and _is_moving(node):
            self._moving(node)
        if not self._for_expansion:
            return
        member = _requested_member(node)
        if member is None:
            return
        for parked in self._for_expansion:
            assert isinstance(parked.wait, UntilIsrExpansion)
            if parked.wait.member in (None, member):
                self._for_expansion.remove(parked)
                self._resume(parked.acts, IsrExpansion(node.config.node_id, member))
                return

    def _controller_stepped(self) -> None:
        parked, self._for_controller = self._for_controller, []
        for each in parked:
            assert isinstance(each.wait, UntilControllerStep)
            if each.wait.condition():
                self._resume(each.acts)
            else:
                self._for_controller.append(each)

    def _moving(self, node: SimNode) -> None:
        for each in list(self._for_move):
            assert isinstance(each.wait, UntilMove)
            if each.wait.node is node:
                self._for_move.remove(each)
                self._resume(each.acts)

    # The choreographies

    def _start_crash_after_rejoin(self, incident: Incident) -> Undo | None:
        if self.context.node(incident).config.is_controller:
            return self.lose_power(incident)
        return self._starting(self._crash_after_rejoin)(incident)

    def _crash_after_rejoin(self, incident: Incident) -> Acts:
        """Crash a broker that has just come back, while requests about it are delayed.

        The machine loses power. While it comes back, half of the streams of the other brokers to
        the controller, and of the broker to them, are stuck. Soon after it serves again it loses
        power once more, or is cut off from the other brokers, and the streams are released only
        later. In every other run only the request of a leader that adds it to an ISR is stuck.
        """
        context, network = self.context, self.context.cluster.network
        node = context.node(incident)
        others = [host(x) for x in context.cluster.broker_ids if x != incident.node]
        controller = host(context.cluster.controller_id)
        stuck = [(other, controller) for other in others if other != controller]
        stuck += [(node.host, other) for other in others]
        # Another name would change what is drawn, and with it the runs of seeds.
        rng = context.cluster.world.rng(f"relapse/{incident.at_ms}")
        node.lose_power()
        yield Delay(incident.for_ms)
        if not node.alive:
            node.start()
        clogs: list[Clog] = []
        release = partial(_unclog, network, clogs)
        waits_for_request = rng.random() < STUCK_SHARE
        if not waits_for_request:
            clogs += [network.clog(*link, STUCK_SHARE) for link in stuck]
        yield Until(lambda: node.started)
        if waits_for_request:
            request = yield UntilIsrExpansion(incident.node)
            if request is not None:
                link = (host(request.leader), controller)
                context.effects.record(incident)
                # Not within this step, whose request is to be under way.
                context.later(0, lambda: clogs.append(network.clog_under_way(*link)))
                reachable = [other for other in others if other != controller]
                yield from self._crash_again(node, reachable, rng, release, loses_power=True)
                return
        context.effects.record(incident)
        yield Delay(rng.randint(5, 300))
        yield from self._crash_again(node, others, rng, release)

    def _crash_again(
        self,
        node: SimNode,
        others: list[str],
        rng: Random,
        release: Undo,
        *,
        loses_power: bool = False,
    ) -> Acts:
        """Cut a broker off; cut its power, too, or wait; then release what was stuck, and heal."""
        network = self.context.cluster.network
        for other in others:
            network.cut(node.host, other)
        self.context.note("network", f"{node.host} is cut off from all other brokers")
        if loses_power or rng.random() < STUCK_SHARE:
            # Not within the step of another node.
            yield Delay(1)
            node.lose_power()
            self.context.later(100, self.context.start_later(node))
            yield Until(lambda: node.started)
        else:
            yield Delay(rng.randint(3_000, 8_000))
        self.context.later(rng.randint(0, 300), release)
        yield Delay(2_000)
        for other in others:
            network.undo_cut(node.host, other)

    def _crash_after_log_info(self, incident: Incident) -> Acts:
        """Crash a broker that has answered GetReplicaLogInfo, before that recovery is over (U8).

        It comes back with a shorter log and another broker epoch, while the controller waits for
        the answers of other brokers.
        """
        node_id = None
        while node_id is None:
            yield UntilControllerStep(lambda: bool(self._answered()))
            # Not within the step of the controller. The recovery may be over by then.
            yield Delay(0)
            node_id = next(iter(self._answered()), None)
        self.context.effects.record(incident)
        node = self.context.cluster.nodes[node_id]
        node.lose_power()
        self.context.later(START_AGAIN_MS, self.context.start_later(node))

    def _answered(self) -> list[int]:
        """The brokers with an answer in an unclean recovery that is under way."""
        nodes, controller_id = self.context.cluster.nodes, self.context.cluster.controller_id
        controller = nodes[controller_id].node
        if controller is None or controller.controller is None:
            return []
        return [
            broker_id
            for recovery in controller.controller.recovery.running()
            for broker_id in recovery.answers
            if broker_id != controller_id and nodes[broker_id].started
        ]

    def _crash_in_move(self, incident: Incident) -> Acts:
        """Crash a broker, or its machine, soon after it begins to move a replica."""
        context, node = self.context, self.context.node(incident)
        rng = context.cluster.world.rng(f"crash-in-move/{incident.at_ms}")
        yield UntilMove(node)

        def crashed() -> None:
            context.effects.record(incident)
            context.later(incident.for_ms, context.start_later(node))

        node.crash_within_step(
            Crash(
                rng.randint(0, rng.choice(_OPERATIONS_OF_A_MOVE)),
                power=rng.random() < STUCK_SHARE,
                share=rng.random(),
                on_crash=crashed,
            )
        )

    def _take_directory_out(self, incident: Incident) -> Acts:
        """Take one of several directories out of `log.dirs`; later put it back as it was.

        Half of the time soon after the broker begins to move a replica.
        """
        context, node = self.context, self.context.node(incident)
        paths = [path for path in node.disks if path != node.config.metadata_log_dir]
        rng = context.cluster.world.rng(f"directory-out/{incident.at_ms}")
        if not paths:
            return
        path = rng.choice(paths)
        if rng.random() < STUCK_SHARE:
            yield UntilMove(node)
        yield Delay(rng.choice(_BEFORE_STOP_MS))
        if rng.random() < _KILLED_SHARE:
            node.kill()
        else:
            node.shut_down()
        yield Until(lambda: not node.alive)
        start = context.start_later(node)
        could_start = node.exit_code != 1
        if could_start and not node.taken_out and not self.is_rotten(incident.node):
            context.effects.record(incident)
            context.note(node.host, f"has {path} taken out of log.dirs")
            node.taken_out[path] = node.disks[path]
            node.use({at: disk for at, disk in node.disks.items() if at != path})
            start()
            yield Delay(incident.for_ms + rng.choice(_OUT_FOR_MS))
            context.put_back(node)
        start()

    def _cut_leaders(self, incident: Incident) -> Acts:
        """Cut leaders of the quorum off from the other voters, with records that are not committed.

        The one before returns at the same time, so that it may lead again. The logs of the voters
        differ in several epochs then.
        """
        context = self.context
        rng = context.cluster.world.rng(f"cut-leaders/{incident.at_ms}")
        if self._is_cutting:
            return
        self._is_cutting = True
        epoch, heal = -1, _nothing
        for _ in range(rng.randint(3, 5)):
            yield UntilControllerStep(partial(self._has_leader_after, epoch))
            if rng.random() < STUCK_SHARE:
                # Other voters may have fetched the records; one more fetch would commit them.
                yield Delay(1)
            leader = self._leader_after(epoch)
            if leader is None or leader.node is None:
                continue
            epoch, voters = leader.node.raft.epoch, leader.node.raft.voters
            heal()
            if voters is None or len(voters) == 1:
                break
            if heal is _nothing:
                context.effects.record(incident)
            heal = self._cut_off(leader, [host(x) for x in voters.ids])
            context.later(_CUT_MS, heal)
        self._is_cutting = False

    def _has_leader_after(self, epoch: int) -> bool:
        return self._leader_after(epoch) is not None

    def _leader_after(self, epoch: int) -> SimNode | None:
        """The leader of the quorum in a later epoch that has records to commit."""
        for node in self.context.cluster.nodes.values():
            raft = None if node.node is None else node.node.raft
            if raft is not None and raft.is_leader and raft.epoch > epoch:
                return node if raft.high_watermark < raft.end_offset else None
        return None

    def _cut_off(self, node: SimNode, hosts: list[str]) -> Undo:
        """Cut the links from a node to others; return what heals them, once."""
        network, cut = self.context.cluster.network, [x for x in hosts if x != node.host]
        self.context.note("network", f"{node.host}, which leads, is cut off from the other voters")
        for other in cut:
            network.cut(node.host, other)

        def heal() -> None:
            while cut:
                network.undo_cut(node.host, cut.pop())

        return heal

    def _abort(self, incident: Incident) -> Acts:
        """Abort the controller connections of a leader that asks for a new ISR member.

        The replica joins by the leader's next attempt, and is cut off from its leader before the
        first one arrives. If no leader asks in time, a broker's connections are aborted anyway.
        """
        context, network = self.context, self.context.cluster.network
        request = yield UntilIsrExpansion()
        leader = incident.node
        if request is not None:
            leader = request.leader
            yield Delay(0)
        if leader == context.cluster.controller_id:
            return
        link = (host(leader), host(context.cluster.controller_id))
        context.effects.record(incident)
        context.note("network", f"{link[0]} aborts its connections to the controller")
        context.later(incident.for_ms, partial(network.unclog, network.abort(*link)))
        if request is None:
            return
        yield Delay(_NEXT_ATTEMPT_MS)
        member = host(request.member)
        context.note("network", f"the link between {link[0]} and {member} is cut")
        network.cut(link[0], member)
        context.later(incident.for_ms, partial(network.undo_cut, link[0], member))


def _nothing() -> None:
    """No link was cut."""


def _unclog(network: SimNetwork, clogs: list[Clog]) -> None:
    for clog in clogs:
        network.unclog(clog)


def _is_moving(node: SimNode) -> bool:
    broker = None if node.node is None else node.node.broker
    return broker is not None and bool(broker.replicas.moves.in_progress)


def _requested_member(node: SimNode) -> int | None:
    """The member that a leader asks the controller to add to an ISR; None without a request."""
    if node.node is None or node.node.broker is None:
        return None
    replicas = node.node.broker.replicas
    if replicas.alter_partition.is_asking:
        for partition in replicas.partitions.values():
            isr = partition.isr
            added = [x for x in isr.proposed or () if x not in isr.committed]
            if partition.is_leader and added:
                return added[0]
    return None
