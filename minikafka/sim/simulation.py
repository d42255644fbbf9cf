"""One run: a cluster, its clients, a plan of incidents, and checks after every step.

First things go wrong while promises are checked; then everything is mended, and within
`HEALING_MS` every partition must have a leader and a full ISR, and every promised record must be
readable. What an operator would have to do by hand (an unclean election, where the strategy leaves
it to one) the run does then.
"""

import hashlib
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition, Uuid
from minikafka.messages import elect_leaders as elections
from minikafka.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from minikafka.messages.create_topics import (
    CreatableTopic,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from minikafka.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from minikafka.metadata.features import DEFAULT_LEVELS
from minikafka.metadata.partition_registration import NO_LEADER, PartitionRegistration
from minikafka.protocol.message import ApiMessage
from minikafka.raft.storage import format_directory
from minikafka.sim.checkers import Checkers, Violation, final_checks
from minikafka.sim.network import LinkSpeed
from minikafka.sim.plan import Fault, Happening, Incident, Plan
from minikafka.sim.sim_cluster import BROKER_PORT, SimCluster, host
from minikafka.sim.sim_disk import SimDisk
from minikafka.sim.sim_node import SimNode
from minikafka.sim.workload import Connections, History, SimConsumer, SimProducer
from minikafka.sim.world import US_PER_MS, NeverHappenedError, World

TOPIC = "t"
HEALING_MS = 120_000
_RESOURCE_TOPIC = 2
_ELR_VERSION = "eligible.leader.replicas.version"
_SLOW = LinkSpeed(base_us=20_000, jitter_us=200_000, lost_per_thousand=50)


@dataclass(slots=True)
class Outcome:
    """What came of a run. `violation` is None where every promise was kept."""

    seed: int
    violation: str | None = None
    traceback: str = ""
    simulated_ms: int = 0
    steps: int = 0
    messages: int = 0
    checks: int = 0
    acknowledged: int = 0
    reads: int = 0
    unclean_elections: int = 0
    lost_to_unclean: int = 0
    faults: dict[str, int] = field(default_factory=dict)
    digest: str = ""

    @property
    def rule(self) -> str:
        """What was broken, without where and when: what stands before the first colon."""
        return (self.violation or "").partition(":")[0]


@dataclass(slots=True)
class Simulation:
    """A plan at work. `tell` gets a line for each transition."""

    plan: Plan
    tell: Callable[[str], None] = lambda _: None
    world: World = field(init=False)
    cluster: SimCluster = field(init=False)
    history: History = field(default_factory=History)
    checkers: Checkers = field(init=False)
    faults: dict[str, int] = field(default_factory=dict)
    _producers: list[SimProducer] = field(default_factory=list)
    _consumer: SimConsumer | None = None
    _healing: bool = False
    _images: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Build the cluster."""
        plan = self.plan
        self._digest = hashlib.sha256()
        self.world = World(plan.seed, self._told)
        levels = dict(DEFAULT_LEVELS)
        if not plan.elr:
            levels[_ELR_VERSION] = 0
        self.checkers = Checkers(self.history, plan.min_isr, plan.elr)
        self.cluster = SimCluster(
            world=self.world,
            brokers=plan.brokers,
            given=plan.given,
            levels=levels,
            separate_controller=plan.separate_controller,
            on_step=self._stepped,
        )
        self.checkers.nodes = self.cluster.nodes

    _digest: "hashlib._Hash" = field(init=False, repr=False)

    def run(self) -> Outcome:
        """Run to the end, or to the first violation."""
        outcome = Outcome(self.plan.seed)
        try:
            self._run()
            problems = final_checks(self.checkers, self.history, self._read_all())
            outcome.violation = "; ".join(problems[:5]) or None
        except (Violation, NeverHappenedError) as error:
            outcome.violation = str(error)
        except Exception as error:  # noqa: BLE001 - whatever ends a node is a finding
            outcome.violation = f"crash: {type(error).__name__}: {error}"
            outcome.traceback = traceback.format_exc()
        outcome.simulated_ms = self.world.now_ms
        outcome.steps = sum(node.steps for node in self.cluster.nodes.values())
        outcome.messages = self.cluster.network.messages
        outcome.checks = self.checkers.checks
        outcome.reads = self.history.polls
        outcome.unclean_elections = self.checkers.unclean_elections
        written = [each for some in self.history.writes.values() for each in some]
        outcome.acknowledged = sum(each.offset is not None for each in written)
        outcome.lost_to_unclean = sum(
            batch.last_offset - batch.base_offset + 1
            for known in self.checkers.committed.values()
            for batch in known.lost
        )
        outcome.faults = self.faults
        outcome.digest = self._digest.hexdigest()[:16]
        if outcome.violation is not None:
            self.world.note("checker", outcome.violation)
        return outcome

    # The run

    def _run(self) -> None:
        self.cluster.start()
        self._create_topic()
        self._start_clients()
        for incident in self.plan.incidents:
            self.world.after(
                incident.at_ms * US_PER_MS - self.world.now_us,
                partial(self._happen, incident),
            )
        self.world.run(self.plan.duration_ms - self.world.now_ms)
        self._heal()

    def _create_topic(self) -> None:
        plan = self.plan
        topic = CreatableTopic(
            name=TOPIC, num_partitions=plan.partitions, replication_factor=plan.replication_factor
        )
        request = CreateTopicsRequest(topics=[topic], timeout_ms=10_000)
        answer = self.cluster.client("admin").ask(request, CreateTopicsResponse)
        assert answer.topics[0].error_code == ErrorCode.NONE, answer

    def _start_clients(self) -> None:
        plan = self.plan
        everywhere = [TopicPartition(TOPIC, index) for index in range(plan.partitions)]
        rng = self.world.rng("clients")
        for number in range(plan.producers):
            acks = rng.choice((-1, 1)) if number else -1
            producer = SimProducer(
                self._connections(f"p{number}"), self.history, f"p{number}", everywhere, acks,
                plan.idempotent and acks == -1, rng.choice((20, 100, 400)),
            )  # fmt: skip
            self._producers.append(producer)
            producer.start()
        self._consumer = SimConsumer(self._connections("c"), self.history, everywhere)
        self._consumer.start()

    def _connections(self, name: str) -> Connections:
        bootstrap = [(host(node_id), BROKER_PORT) for node_id in self.cluster.broker_ids]
        rng = self.world.rng(name)
        return Connections(self.world, self.cluster.network, name, bootstrap, rng)

    def _stepped(self, node: SimNode) -> None:
        self.checkers.look(node)
        if node.node is not None and node.node.controller is not None:
            self._tell_changes(node.node.loader.image.topic(TOPIC))

    def _tell_changes(self, topic: object) -> None:
        if topic is None:
            return
        for index, now in topic.partitions.items():  # type: ignore[attr-defined]
            line = _described(now)
            where = f"{TOPIC}-{index}"
            if self._images.get(where) != line:
                self._images[where] = line
                self.world.note(where, line)

    def _told(self, line: str) -> None:
        self._digest.update(line.encode())
        self.tell(line)

    # Incidents

    def _happen(self, incident: Incident) -> None:
        if self._healing:
            return
        what = incident.what
        self.faults[what.value] = self.faults.get(what.value, 0) + 1
        if isinstance(what, Happening):
            self._operate(incident)
            return
        undo = self._FAULTS[what](self, incident)
        if undo is not None:
            self.world.after(incident.for_ms * US_PER_MS, undo)

    def _node(self, incident: Incident) -> SimNode:
        return self.cluster.nodes[incident.node]

    def _restart_later(self, node: SimNode) -> Callable[[], None]:
        def restart() -> None:
            if not node.alive:
                node.start()

        return restart

    def _kill(self, incident: Incident) -> Callable[[], None] | None:
        node = self._node(incident)
        node.kill()
        return self._restart_later(node)

    def _power(self, incident: Incident) -> Callable[[], None]:
        node = self._node(incident)
        self.checkers.power_was_lost = True
        node.lose_power()
        return self._restart_later(node)

    def _power_all(self, incident: Incident) -> Callable[[], None]:
        self.checkers.power_was_lost = True
        for node in self.cluster.nodes.values():
            node.lose_power()
        rng = self.world.rng(f"power-all/{incident.at_ms}")

        def restart() -> None:
            for node in self.cluster.nodes.values():
                self.world.after(rng.randint(0, 20_000) * US_PER_MS, self._restart_later(node))

        return restart

    def _restart(self, incident: Incident) -> Callable[[], None]:
        node = self._node(incident)
        node.shut_down()
        return self._restart_later(node)

    def _pause(self, incident: Incident) -> Callable[[], None] | None:
        node = self._node(incident)
        if not node.alive:
            return None
        node.pause()
        return node.resume

    def _cut(self, incident: Incident) -> Callable[[], None]:
        one, other = host(incident.node), host(incident.other)
        self.cluster.network.cut(one, other, both=incident.what is Fault.CUT)
        self.world.note("network", f"{one} and {other} are cut off ({incident.what.value})")
        return lambda: self.cluster.network.heal(one, other)

    def _isolate(self, incident: Incident) -> Callable[[], None]:
        one = host(incident.node)
        self.world.note("network", f"{one} is cut off from all others")
        others = [node.host for node in self.cluster.nodes.values() if node.host != one]
        for other in others:
            self.cluster.network.cut(one, other)

        def undo() -> None:
            for other in others:
                self.cluster.network.heal(one, other)

        return undo

    def _slow(self, incident: Incident) -> Callable[[], None]:
        one, other = host(incident.node), host(incident.other)
        slow = self.cluster.network.slow_links
        slow[one, other] = slow[other, one] = _SLOW
        self.world.note("network", f"{one} and {other} are slow")

        def undo() -> None:
            slow.pop((one, other), None)
            slow.pop((other, one), None)

        return undo

    def _clock(self, incident: Incident) -> None:
        node = self._node(incident)
        node.clock_offset_ms += self.world.rng(f"clock/{incident.at_ms}").randint(-60_000, 60_000)
        self.world.note(node.host, f"wall clock is off by {node.clock_offset_ms} ms")

    def _slow_disk(self, incident: Incident) -> Callable[[], None]:
        node = self._node(incident)
        former, node.flush_us = node.flush_us, (200_000, 2_000_000)
        self.world.note(node.host, "flushes slowly")

        def undo() -> None:
            node.flush_us = former if former[0] < 200_000 else (100, 3_000)

        return undo

    def _wipe(self, incident: Incident) -> Callable[[], None] | None:
        node = self._node(incident)
        if node.config.is_controller:
            return None
        self.checkers.power_was_lost = True
        node.kill()
        self.world.note(node.host, "loses its disks; they are replaced by empty ones")
        rng = self.world.rng(f"wipe/{incident.at_ms}")
        for path in node.disks:
            disk = node.disks[path] = SimDisk(path)
            format_directory(
                disk,
                cluster_id=self.cluster.cluster_id,
                node_id=node.config.node_id,
                directory_id=Uuid.draw(rng),
            )
        return self._restart_later(node)

    _FAULTS = {  # noqa: RUF012
        Fault.KILL: _kill,
        Fault.POWER: _power,
        Fault.POWER_ALL: _power_all,
        Fault.RESTART: _restart,
        Fault.PAUSE: _pause,
        Fault.CUT: _cut,
        Fault.CUT_ONE_WAY: _cut,
        Fault.ISOLATE: _isolate,
        Fault.SLOW: _slow,
        Fault.CLOCK: _clock,
        Fault.SLOW_DISK: _slow_disk,
        Fault.WIPE: _wipe,
    }

    # Operators

    def _operate(self, incident: Incident) -> None:
        rng = self.world.rng(f"operator/{incident.at_ms}")
        request: ApiMessage
        if incident.what is Happening.ELECT:
            request = elections.ElectLeadersRequest(
                election_type=0, topic_partitions=None, timeout_ms=5_000
            )
        elif incident.what is Happening.MIN_ISR:
            value = rng.randint(1, self.plan.replication_factor)
            request = IncrementalAlterConfigsRequest(
                resources=[
                    AlterConfigsResource(
                        _RESOURCE_TOPIC,
                        TOPIC,
                        [AlterableConfig("min.insync.replicas", 0, str(value))],
                    )
                ]
            )
            self.world.note("operator", f"min.insync.replicas={value}")
        else:
            members = rng.sample(self.cluster.broker_ids, self.plan.replication_factor)
            request = AlterPartitionReassignmentsRequest(
                timeout_ms=5_000,
                topics=[ReassignableTopic(TOPIC, [ReassignablePartition(0, members)])],
            )
            self.world.note("operator", f"{TOPIC}-0 shall be on {members}")
        connections = self._connections(f"operator{incident.at_ms}")
        connections.ask(rng.choice(connections.bootstrap), request, lambda _: None)

    # Healing

    def _heal(self) -> None:
        self._healing = True
        self.world.note("healing", "everything is mended")
        self.cluster.network.heal_all()
        for node in self.cluster.nodes.values():
            node.flush_us = (100, 3_000)
            node.resume()
            if not node.alive:
                node.start()
        self.world.run(1_000)
        for node in self.cluster.nodes.values():
            # One that was still shutting down when all was mended.
            if not node.alive:
                node.start()
        self._wait(self._all_serve, "every node serves")
        self._elect_by_hand()
        self._wait(self._all_led, "every partition has a leader")
        self._wait(self._isr_is_full, "every ISR is full")
        for producer in self._producers:
            producer.running = False
        self.world.run(5_000)
        assert self._consumer is not None
        self._consumer.running = False

    def _wait(self, condition: Callable[[], bool], what: str) -> None:
        self.world.run_until(condition, HEALING_MS, f"liveness: {what}")

    def _all_serve(self) -> bool:
        for node in self.cluster.nodes.values():
            if not node.alive:
                node.start()
        return self.cluster.all_started()

    def _registrations(self) -> list[PartitionRegistration]:
        controller = self.cluster.nodes[self.cluster.controller_id].node
        assert controller is not None
        topic = controller.loader.image.topic(TOPIC)
        assert topic is not None
        return list(topic.partitions.values())

    def _elect_by_hand(self) -> None:
        """What no rule brings back an operator must (L4, L6)."""
        try:
            self.world.run_until(self._all_led, 45_000)
        except NeverHappenedError:
            self.world.note("operator", "asks for unclean elections")
            request = elections.ElectLeadersRequest(
                election_type=1, topic_partitions=None, timeout_ms=10_000
            )
            self.cluster.client("operator").ask(request, elections.ElectLeadersResponse)

    def _all_led(self) -> bool:
        return all(each.leader != NO_LEADER for each in self._registrations())

    def _isr_is_full(self) -> bool:
        return all(
            len(each.isr) == len(each.replicas) and not each.adding_replicas
            for each in self._registrations()
        )

    def _read_all(self) -> dict[TopicPartition, dict[int, bytes]]:
        """What consumers read now, from the start to the end of every partition."""
        history = History()
        everywhere = [TopicPartition(TOPIC, index) for index in range(self.plan.partitions)]
        reader = SimConsumer(self._connections("final"), history, everywhere)
        reader.start()

        def at_the_end() -> bool:
            return all(
                reader.positions.get(where, 0) >= self.checkers.committed[where].end_offset
                for where in everywhere
                if where in self.checkers.committed
            )

        self._wait(at_the_end, "everything that was committed can be read")
        reader.running = False
        return history.reads


def _described(now: PartitionRegistration) -> str:
    parts = [f"leader {now.leader} epoch {now.leader_epoch} ISR {list(now.isr)}"]
    if now.elr:
        parts.append(f"ELR {list(now.elr)}")
    if now.last_known_elr:
        parts.append(f"last known ELR {list(now.last_known_elr)}")
    if now.last_known_leader != NO_LEADER:
        parts.append(f"last known leader {now.last_known_leader}")
    if now.leader_recovery_state:
        parts.append("RECOVERING")
    if now.adding_replicas or now.removing_replicas:
        parts.append(f"adding {list(now.adding_replicas)} removing {list(now.removing_replicas)}")
    return " ".join(parts)
