"""A run: a cluster, its clients, a plan of incidents, and checks after every step.

First, faults are injected while the rules are checked. Then everything is repaired and must recover
(`healing`), and every acknowledged record must be readable.
"""

import gc
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from minikafka.common.errors import ErrorCode
from minikafka.common.faults import StorageFault
from minikafka.common.ids import TopicPartition
from minikafka.messages.create_topics import (
    CreatableTopic,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from minikafka.metadata.features import (
    DEFAULT_LEVELS,
    ELIGIBLE_LEADER_REPLICAS_VERSION,
    GROUP_VERSION,
    TRANSACTION_VERSION,
)
from minikafka.sim.checks.checkers import Checkers
from minikafka.sim.checks.coverage import Coverage
from minikafka.sim.checks.final_checks import final_checks
from minikafka.sim.checks.history import History
from minikafka.sim.drive.compacted_workload import COMPACTED
from minikafka.sim.drive.faults.fault_effects import FaultEffects
from minikafka.sim.drive.faults.faults import Faults
from minikafka.sim.drive.healing import Healing
from minikafka.sim.drive.incidents import Fault, Incident
from minikafka.sim.drive.operators import Operators
from minikafka.sim.drive.partition_notes import PartitionNotes
from minikafka.sim.drive.plan import Plan
from minikafka.sim.drive.run_clients import TOPIC, RunClients, client_names
from minikafka.sim.drive.transactional_workload import TOPICS
from minikafka.sim.world.sim_cluster import SimCluster
from minikafka.sim.world.sim_node import SimNode
from minikafka.sim.world.violation import Violation
from minikafka.sim.world.world import US_PER_MS, ConditionTimeoutError, World

_RARE_COLLECTIONS = (20_000, 20, 50)


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
    clients: RunClients = field(init=False)
    healing: Healing = field(init=False)
    _notes: PartitionNotes = field(init=False)

    def __post_init__(self) -> None:
        """Create the cluster, the checkers, the faults and the operators."""
        plan = self.plan
        self.world = World(plan.seed, self.on_line)
        levels = dict(DEFAULT_LEVELS)
        if not plan.cluster.elr:
            levels[ELIGIBLE_LEADER_REPLICAS_VERSION] = 0
        levels[TRANSACTION_VERSION] = plan.load.transaction_version
        if not plan.load.consumer_groups:
            del levels[GROUP_VERSION]
        self.cluster = SimCluster(
            world=self.world,
            brokers=plan.cluster.brokers,
            given=plan.given,
            levels=levels,
            separate_controller=plan.cluster.separate_controller,
            log_dirs=plan.cluster.log_dirs,
            racks=plan.cluster.racks,
            voters=plan.cluster.voters,
            spares=plan.cluster.spares,
            is_dynamic=plan.cluster.dynamic_quorum,
            on_step=self._stepped,
        )
        nodes = self.cluster.nodes
        for node in nodes.values():
            node.on_fault = self._faulted
            node.on_power_loss = self._lost_power
            node.step_units = plan.cluster.step_units
            node.slice_bytes = plan.cluster.slice_bytes
            node.work_us = (50, plan.cluster.work_ms * US_PER_MS)
        self.checkers = Checkers(self.history, plan.cluster.min_isr, plan.cluster.elr, nodes)
        self.checkers.retention.retention_bytes = plan.cluster.retention_bytes
        self.checkers.elections.given = plan.given
        self.faults = Faults(
            self.cluster,
            client_names(plan),
            partial(self.checkers.lost_records, everything=True),
            self.checkers.quorum.forget,
            FaultEffects(self.checkers.coverage.faults),
        )
        if plan.load.transactions:
            self.checkers.replicas.transactional = frozenset((*TOPICS, COMPACTED))
            self.checkers.transactions.topics = frozenset((*TOPICS, COMPACTED))
            self.checkers.transactions.epochs_are_bumped = plan.always_bumps_epochs
        self.checkers.replicas.is_damaged = self.faults.storage.is_damaged
        self.checkers.transactions.is_damaged = self.faults.storage.is_damaged
        self.checkers.directories.is_damaged = self.faults.storage.is_log_damaged
        self.clients = RunClients(plan, self.cluster, self.history, self.checkers)
        self.operators = Operators(
            plan,
            TOPIC,
            self.faults,
            self.clients.connections,
            self.checkers.quorum.answers,
            self.checkers.elections.asked,
        )
        self.faults.storage.lead = self.operators.lead
        self.faults.storage.on_removed = self._removed
        self.healing = Healing(
            plan, self.cluster, self.checkers, self.faults, self.operators, self.clients
        )
        self._notes = PartitionNotes(self.world)

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
            problems = final_checks(self.checkers, self.history, self.healing.read_all())
            if self.plan.load.transactions:
                problems += self.healing.transactional.problems()
            if self.plan.load.compacted_writers:
                problems += self.healing.updates_are_kept()
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
        events["rebalances"] = self.clients.rebalances
        events["offset commits across a failover"] = self.history.resumed_elsewhere
        events["consumers sent to a follower"] = self.clients.sent_to_followers
        outcome.rebalances = self.clients.rebalances
        events["lives of consumer group members"] = self.clients.consumer_groups.lives
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
        self.create_topic()
        self.clients.start()
        for incident in self.plan.faults.incidents:
            self.world.after(
                incident.at_ms * US_PER_MS - self.world.now_us,
                partial(self._carry_out, incident),
            )
        self.world.run(self.plan.duration_ms - self.world.now_ms, self.plan.steps)
        self.healing.carry_out()

    def create_topic(self) -> None:
        """Create the topic that the clients use."""
        plan = self.plan
        topic = CreatableTopic(
            name=TOPIC,
            num_partitions=plan.cluster.partitions,
            replication_factor=plan.cluster.replication_factor,
        )
        request = CreateTopicsRequest(topics=[topic], timeout_ms=10_000)
        answer = self.cluster.client("admin").ask(request, CreateTopicsResponse)
        assert answer.topics[0].error_code == ErrorCode.NONE, answer

    def _stepped(self, node: SimNode) -> None:
        self.checkers.check(node)
        self.faults.stepped(node)
        if node.node is not None and node.node.controller is not None:
            self._notes.follow(node.node.loader.image.topic(TOPIC))

    def _faulted(self, node: SimNode, fault: StorageFault) -> None:
        """Check that a disk that ended a process had a fault, or that it has an older folder."""
        moved = self.faults.older_folders.move_later(node, fault, self.checkers.replicas.image)
        if moved:
            self.checkers.coverage.events["older folders moved away"] += moved
            return
        disk = node.disks[fault.log_dir]
        if not disk.has_refused and not self.faults.storage.is_rotten(node.config.node_id):
            raise Violation(f"sound disk: {node.host} stopped: {fault.reason}")

    def _removed(self, node_id: int, where: TopicPartition) -> None:
        self.checkers.power.removed(node_id, where, elr_is_on=self.checkers.elr_is_on)

    def _lost_power(self, node: SimNode) -> None:
        self.checkers.lost_records(node.config.node_id)

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
