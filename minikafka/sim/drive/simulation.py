"""A run: a cluster, its clients, a plan of incidents, and checks after every step.

First, faults are injected while the rules are checked. Then everything is repaired, and within
`healing_ms` every partition must have a leader and a full ISR, and every acknowledged record must
be readable. The run also does the manual work of an operator then: an unclean election, if the
strategy requires one.
"""

import gc
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from minikafka.common.errors import ErrorCode
from minikafka.common.faults import StorageFault
from minikafka.common.ids import TopicPartition
from minikafka.group.ports import OFFSETS_TOPIC
from minikafka.messages import elect_leaders as elections
from minikafka.messages.create_topics import (
    CreatableTopic,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from minikafka.metadata.features import DEFAULT_LEVELS, ELIGIBLE_LEADER_REPLICAS_VERSION
from minikafka.metadata.image import TopicImage
from minikafka.metadata.partition_registration import (
    DIRECTORY_LOST,
    NO_LEADER,
    PartitionRegistration,
)
from minikafka.node.node import Node
from minikafka.sim.checks.agreement_checks import Pair, pairs, unlike_batches, unlike_offsets
from minikafka.sim.checks.checkers import Checkers, final_checks
from minikafka.sim.checks.coverage import Coverage
from minikafka.sim.checks.history import History
from minikafka.sim.drive.edge_case_workload import EdgeCaseClient, MultiPartitionProducer
from minikafka.sim.drive.faults.fault_effects import FaultEffects
from minikafka.sim.drive.faults.faults import Faults
from minikafka.sim.drive.group_workload import SimMember, is_stable
from minikafka.sim.drive.operators import Operators
from minikafka.sim.drive.plan import DAMAGE, Fault, Incident, Plan
from minikafka.sim.drive.workload import ClientConnections, SimConsumer, SimProducer
from minikafka.sim.world.sim_cluster import BROKER_PORT, SimCluster, host
from minikafka.sim.world.sim_node import SimNode
from minikafka.sim.world.violation import Violation
from minikafka.sim.world.world import US_PER_MS, ConditionTimeoutError, World

TOPIC = "t"
_HEALING_PACE_MS = 400
_RARE_COLLECTIONS = (20_000, 20, 50)
_SETTLING_MS = 10_000
_SCAN_EVERY_MS = 3_000
_PATIENCE_MS = 45_000
"""The time after which an operator requests elections that no rule triggers."""


@dataclass(slots=True)
class RunOutcome:
    """The result of a run. `violation` is None if every rule held."""

    seed: int
    violation: str | None = None
    traceback: str = ""
    simulated_ms: int = 0
    steps: int = 0
    messages: int = 0
    checks: int = 0
    acknowledged: int = 0
    reads: int = 0
    rebalances: int = 0
    unclean_elections: int = 0
    lost_to_unclean: int = 0
    files_refused: int = 0
    """Number of opens that failed for lack of descriptors."""
    faults: dict[str, int] = field(default_factory=dict)
    coverage: Coverage = field(default_factory=Coverage)
    digest: str = ""

    @property
    def rule(self) -> str:
        """The broken rule: the text of the violation before the first colon."""
        return (self.violation or "").partition(":")[0]


@dataclass(slots=True)
class Simulation:
    """The run of a plan. `on_line` gets a line for each transition."""

    plan: Plan
    on_line: Callable[[str], None] = lambda _: None
    world: World = field(init=False)
    cluster: SimCluster = field(init=False)
    history: History = field(default_factory=History)
    checkers: Checkers = field(init=False)
    counts: dict[str, int] = field(default_factory=dict)
    faults: Faults = field(init=False)
    operators: Operators = field(init=False)
    _producers: list[SimProducer] = field(default_factory=list)
    _others: list[MultiPartitionProducer | EdgeCaseClient] = field(default_factory=list)
    _consumer: SimConsumer | None = None
    _scanner: SimConsumer | None = None
    _members: list[SimMember] = field(default_factory=list)
    _images: dict[str, str] = field(default_factory=dict)
    _last_topic: TopicImage | None = None

    def __post_init__(self) -> None:
        """Create the cluster, the checkers, the faults and the operators."""
        plan = self.plan
        self.world = World(plan.seed, self.on_line)
        levels = dict(DEFAULT_LEVELS)
        if not plan.elr:
            levels[ELIGIBLE_LEADER_REPLICAS_VERSION] = 0
        self.cluster = SimCluster(
            world=self.world,
            brokers=plan.brokers,
            given=plan.given,
            levels=levels,
            separate_controller=plan.separate_controller,
            log_dirs=plan.log_dirs,
            on_step=self._stepped,
        )
        nodes = self.cluster.nodes
        for node in nodes.values():
            node.on_fault = self._faulted
            node.on_power_loss = self._lost_power
            node.step_units = plan.step_units
            node.work_us = (50, plan.work_ms * US_PER_MS)
        self.checkers = Checkers(self.history, plan.min_isr, plan.elr, nodes)
        self.checkers.retention.retention_bytes = plan.retention_bytes
        self.checkers.elections.given = plan.given
        clients = [f"p{number}" for number in range(plan.producers)]
        clients += [f"g{number}" for number in range(plan.groups)]
        clients += [
            *(["joint"] if plan.multi_partition else []),
            *(["odd"] if plan.edge_cases else []),
        ]
        self.faults = Faults(
            self.cluster,
            ("c", "scanner", *clients),
            partial(self.checkers.lost_records, everything=True),
            FaultEffects(self.checkers.coverage.faults),
        )
        self.checkers.replicas.is_damaged = self.faults.storage.is_damaged
        self.operators = Operators(
            plan, TOPIC, self.faults, self._connections, self.checkers.elections.asked
        )
        self.faults.storage.lead = self.operators.lead

    def run(self) -> RunOutcome:
        """Run to the end, or to the first violation; return the result."""
        thresholds = gc.get_threshold()
        # As the server does (`server_start`): a step creates many objects, and hardly any cycle.
        gc.set_threshold(*_RARE_COLLECTIONS)
        try:
            return self._judged()
        finally:
            gc.set_threshold(*thresholds)

    def _judged(self) -> RunOutcome:
        outcome = RunOutcome(self.plan.seed)
        try:
            self._run()
            self.checkers.check_at_end()
            problems = final_checks(self.checkers, self.history, self._read_all())
            outcome.violation = "; ".join(problems[:5]) or None
        except (Violation, ConditionTimeoutError) as error:
            outcome.violation = str(error)
        except Exception as error:  # noqa: BLE001 - any error in a node is a finding
            outcome.violation = f"crash: {type(error).__name__}: {error}"
            outcome.traceback = traceback.format_exc()
        outcome.simulated_ms = self.world.now_ms
        outcome.steps = sum(node.steps for node in self.cluster.nodes.values())
        outcome.messages = self.cluster.network.messages
        outcome.checks = self.checkers.coverage.checks
        outcome.coverage = self.checkers.coverage
        outcome.reads = self.history.fetches
        events = self.checkers.coverage.events
        events["rebalances"] = sum(member.rebalances for member in self._members)
        events["offset commits across a failover"] = self.history.resumed_elsewhere
        outcome.rebalances = sum(member.rebalances for member in self._members)
        outcome.unclean_elections = self.checkers.unclean_elections
        written = [each for some in self.history.writes.values() for each in some]
        outcome.acknowledged = sum(each.offset is not None for each in written)
        outcome.lost_to_unclean = sum(
            len(each.values) for known in self.checkers.committed.values() for each in known.lost
        )
        outcome.files_refused = sum(
            disk.files_refused
            for node in self.cluster.nodes.values()
            for disk in node.disks.values()
        )
        self.checkers.coverage.events["damaged replicas offline"] = sum(
            node.replicas_given_up
            + (node.node.broker.replicas.damaged_count if node.node and node.node.broker else 0)
            for node in self.cluster.nodes.values()
        )
        outcome.faults = self.counts
        outcome.digest = self.world.digest
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
                partial(self._carry_out, incident),
            )
        self.world.run(self.plan.duration_ms - self.world.now_ms, self.plan.steps)
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
                plan.idempotent and acks == -1, plan.pace_ms, plan.backfill_ms,
            )  # fmt: skip
            self._producers.append(producer)
            producer.start()
        self._consumer = SimConsumer(self._connections("c"), self.history, everywhere)
        self._consumer.start()
        if any(incident.what in DAMAGE for incident in plan.incidents):
            self._scanner = SimConsumer(
                self._connections("scanner"), self.history, everywhere, "scanner"
            )
            self._scanner.start()
            self._scanner.start_over(_SCAN_EVERY_MS)
        for number in range(plan.groups):
            name = f"g{number}"
            member = SimMember(
                self._connections(name), self.history, "g", name, everywhere, self._is_deposed
            )
            self._members.append(member)
            member.start()
        if plan.multi_partition:
            self._others.append(
                MultiPartitionProducer(
                    self._connections("joint"), self.history, "joint", everywhere, plan.pace_ms,
                    self.checkers.rejected_writes.append,
                )
            )  # fmt: skip
        if plan.edge_cases:
            self._others.append(
                EdgeCaseClient(
                    self._connections("odd"), self.history, "odd", everywhere, 4 * plan.pace_ms
                )
            )
        for other in self._others:
            other.start()

    def _connections(self, name: str) -> ClientConnections:
        bootstrap = [(host(node_id), BROKER_PORT) for node_id in self.cluster.broker_ids]
        rng = self.world.rng(name)
        return ClientConnections(self.world, self.cluster.network, name, bootstrap, rng)

    def _is_deposed(self, coordinator: tuple[str, int]) -> bool:
        """Return True if another broker leads the only partition of the offsets topic."""
        now = self.checkers.replicas.image.partition(OFFSETS_TOPIC, 0)
        return now is None or host(now.leader) != coordinator[0]

    def _stepped(self, node: SimNode) -> None:
        self.checkers.check(node)
        self.faults.stepped(node)
        if node.node is not None and node.node.controller is not None:
            topic = node.node.loader.image.topic(TOPIC)
            if topic is not self._last_topic:
                self._last_topic = topic
                self._note_changes(topic)

    def _faulted(self, node: SimNode, fault: StorageFault) -> None:
        """Check that a disk that ended a process had a fault."""
        disk = node.disks[fault.log_dir]
        if not disk.has_refused and not self.faults.storage.is_rotten(node.config.node_id):
            raise Violation(f"sound disk: {node.host} stopped: {fault.reason}")

    def _lost_power(self, node: SimNode) -> None:
        self.checkers.lost_records(node.config.node_id)

    def _note_changes(self, topic: TopicImage | None) -> None:
        if topic is None:
            return
        for index, now in topic.partitions.items():
            line = _described(now)
            where = f"{TOPIC}-{index}"
            if self._images.get(where) != line:
                self._images[where] = line
                self.world.note(where, line)

    # Incidents

    def _carry_out(self, incident: Incident) -> None:
        if self.faults.is_over:
            return
        what = incident.what
        self.counts[what.value] = self.counts.get(what.value, 0) + 1
        if isinstance(what, Fault):
            self.faults.inject(incident)
        else:
            self.operators.carry_out(incident)

    # Healing

    def _heal(self) -> None:
        self.world.note("healing", "all faults are healed")
        self.faults.repair_all()
        for producer in (*self._producers, *self._others):
            # The remaining checks need no load.
            producer.interval_ms = max(producer.interval_ms, _HEALING_PACE_MS)
        self._wait(self._all_serve, "every node serves")
        self._elect_by_hand()
        self._wait(self._all_led, "every partition has a leader")
        self._wait(self._isr_is_full, "every ISR is full")
        self._wait(self._no_recovery_hangs, "no unclean recovery goes on")
        self._wait(self._groups_are_stable, "every group is stable")
        if self.plan.some_stay_down:
            self._go_on_with_fewer()
        for member in self._members:
            member.running = False
        for producer in (*self._producers, *self._others):
            producer.running = False
        self.operators.stop_writing()
        self.world.run(5_000)
        assert self._consumer is not None
        self._consumer.running = False
        if self._scanner is not None:
            self._scanner.running = False
        self._replicas_agree()

    def _go_on_with_fewer(self) -> None:
        """Remove brokers until the end, as many as each partition can lose; check progress.

        No ISR shrinks below min ISR. Then every partition must have a leader and commit new
        records, and groups must become stable again.
        """
        spare = min(
            len(now.isr) - self.checkers.min_isr_of(topic.name, now)
            for topic in self._controller().loader.image.topics.values()
            for now in topic.partitions.values()
        )
        rng = self.world.rng("fewer")
        candidates = [x for x in self.cluster.broker_ids if x != self.cluster.controller_id]
        gone = rng.sample(candidates, min(spare, len(candidates) - 1))
        if not gone:
            return
        for node_id in gone:
            self.faults.remove_broker(node_id, rng)
        before = dict(self._committed_by_leaders(gone))

        def all_go_on() -> bool:
            now = dict(self._committed_by_leaders(gone))
            return bool(now) and all(at > before.get(where, -1) for where, at in now.items())

        self.checkers.coverage.events["runs that end with fewer brokers"] += 1
        within_ms = self.plan.healing_ms
        self.world.run_until(
            all_go_on, within_ms, f"liveness: every partition commits without {gone}"
        )
        self.world.run_until(
            self._groups_are_stable, within_ms, f"liveness: every group is stable without {gone}"
        )

    def _committed_by_leaders(self, gone: list[int]) -> Iterator[tuple[TopicPartition, int]]:
        """Yield the high watermarks of the checked topic; -1 if a removed broker leads.

        Partitions that a late request has moved to removed brokers are skipped.
        """
        topic = self._controller().loader.image.topic(TOPIC)
        assert topic is not None
        for index, now in topic.partitions.items():
            left = [x for x in now.replicas if x not in gone]
            if len(left) < self.checkers.min_isr_of(TOPIC, now):
                continue
            where = TopicPartition(TOPIC, index)
            node = None if now.leader in (NO_LEADER, *gone) else self.cluster.nodes[now.leader].node
            broker = None if node is None else node.broker
            held = None if broker is None else broker.replicas.partitions.get(where)
            yield where, -1 if held is None else held.log.high_watermark

    def _replicas_agree(self) -> None:
        """Check that all records and the final high watermark reach every follower."""
        try:
            self.world.run_until(lambda: self._difference() is None, _SETTLING_MS)
        except ConditionTimeoutError:
            raise Violation(f"ReplicasAgree: {self._difference()}") from None
        for pair in self._pairs():
            problem = unlike_batches(pair)
            if problem is not None:
                raise Violation(f"ReplicasAgree: {problem}")

    def _pairs(self) -> list[Pair]:
        return list(pairs(self.cluster.nodes, self._controller().loader.image))

    def _difference(self) -> str | None:
        trims_alone = self.plan.retention_bytes >= 0
        found = (unlike_offsets(pair, trims_alone=trims_alone) for pair in self._pairs())
        return next((problem for problem in found if problem is not None), None)

    def _wait(self, condition: Callable[[], bool], what: str) -> None:
        self.world.run_until(
            lambda: self._started(condition), self.plan.healing_ms, f"liveness: {what}"
        )

    def _started(self, condition: Callable[[], bool]) -> bool:
        # A node that was still shutting down at the end of the faults stops only now.
        self.faults.start_all()
        return condition()

    def _all_serve(self) -> bool:
        # A pending shutdown would move leaders after everything seemed repaired.
        return all(node.started and not node.stopping for node in self.cluster.nodes.values())

    def _registrations(self) -> list[PartitionRegistration]:
        controller = self.cluster.nodes[self.cluster.controller_id].node
        if controller is None:
            return []
        image = controller.loader.image
        if TOPIC not in image.topic_ids:
            # The controller is still reading its log.
            return []
        return [registration for _, _, registration in image.all_partitions()]

    def _controller(self) -> Node:
        node = self.cluster.nodes[self.cluster.controller_id].node
        assert node is not None
        return node

    def _elect_by_hand(self) -> None:
        """Elect leaders that only an operator can bring back (L4, L6)."""
        try:
            self.world.run_until(lambda: self._started(self._all_led), _PATIENCE_MS)
        except ConditionTimeoutError:
            self._elect_uncleanly()
            try:
                self.world.run_until(self._all_led, _PATIENCE_MS)
            except ConditionTimeoutError:
                self._accept_empty_logs()
                try:
                    self.world.run_until(lambda: self._started(self._all_led), _PATIENCE_MS)
                except ConditionTimeoutError:
                    self._elect_uncleanly()

    def _elect_uncleanly(self) -> None:
        self.checkers.elections.check_leaders_owed(self._controller().loader.image)
        self.world.note("operator", "asks for unclean elections")
        request = elections.ElectLeadersRequest(
            election_type=1, topic_partitions=None, timeout_ms=10_000
        )
        self.checkers.elections.asked(request)
        self.cluster.client("operator").ask(request, elections.ElectLeadersResponse)

    def _accept_empty_logs(self) -> None:
        """Create the folders of logs that are lost everywhere, as the broker's ERROR says."""
        lost: dict[int, list[str]] = {}
        for topic in self._controller().loader.image.topics.values():
            for index, now in topic.partitions.items():
                directories = {now.directory(replica): None for replica in now.replicas}
                if now.leader == NO_LEADER and list(directories) == [DIRECTORY_LOST]:
                    for replica in now.replicas:
                        lost.setdefault(replica, []).append(f"{topic.name}-{index}")
        for broker_id, folders in lost.items():
            node = self.cluster.nodes[broker_id]
            self.world.note("operator", f"accepts empty logs of {node.host}: {', '.join(folders)}")
            node.kill()
            disk = next(iter(node.disks.values()))
            for folder in folders:
                disk.make_dir(folder)
            node.start()

    def _all_led(self) -> bool:
        known = self._registrations()
        return bool(known) and all(each.leader != NO_LEADER for each in known)

    def _isr_is_full(self) -> bool:
        known = self._registrations()
        return bool(known) and all(
            len(each.isr) == len(each.replicas) and not each.adding_replicas for each in known
        )

    def _no_recovery_hangs(self) -> bool:
        controller = self.cluster.nodes[self.cluster.controller_id].node
        if controller is None or controller.controller is None:
            return False
        return controller.controller.recovery.recovering_count == 0

    def _groups_are_stable(self) -> bool:
        return is_stable(self._members, self.plan.partitions, self.world.now_ms) or (
            not self._members
        )

    def _read_all(self) -> dict[TopicPartition, dict[int, bytes]]:
        """Read every partition from start to end with a new consumer."""
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
