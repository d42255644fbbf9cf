"""The clients of a run: producers, consumers, members of groups, and unusual clients."""

from collections.abc import Collection
from dataclasses import dataclass, field

from minikafka.common.ids import TopicPartition
from minikafka.common.internal_topics import OFFSETS_TOPIC
from minikafka.metadata.features import TRANSACTION_VERSION
from minikafka.sim.checks.checkers import Checkers
from minikafka.sim.checks.history import History
from minikafka.sim.drive.compacted_workload import HOSTS as COMPACTING_HOSTS
from minikafka.sim.drive.compacted_workload import CompactedWorkload
from minikafka.sim.drive.consumer_group_workload import ConsumerGroupWorkload, host_names
from minikafka.sim.drive.edge_case_workload import EdgeCaseClient, MultiPartitionProducer
from minikafka.sim.drive.group_client import GroupSurroundings
from minikafka.sim.drive.group_workload import SimMember, is_stable
from minikafka.sim.drive.incidents import DAMAGE
from minikafka.sim.drive.odd_group_workload import OddGroupClient
from minikafka.sim.drive.plan import Plan, rack_of
from minikafka.sim.drive.transactional_workload import HOSTS, TransactionalWorkload
from minikafka.sim.drive.workload import ClientConnections, SimConsumer, SimProducer
from minikafka.sim.world.sim_cluster import BROKER_PORT, SimCluster, host

TOPIC = "t"
"""The topic that the clients use."""
_SCAN_EVERY_MS = 3_000
_ODD_GROUP_CLIENTS = ("odd-1", "odd-2", "odd-3")


def client_names(plan: Plan) -> tuple[str, ...]:
    """Return the hosts of the clients of a plan."""
    return (
        "c",
        "scanner",
        *(f"p{number}" for number in range(plan.load.producers)),
        *(f"g{number}" for number in range(plan.load.groups)),
        *(["joint"] if plan.load.multi_partition else []),
        *(["odd", *_ODD_GROUP_CLIENTS] if plan.load.edge_cases else []),
        *(HOSTS if plan.load.transactions else []),
        *(COMPACTING_HOSTS if plan.load.compacted_writers else []),
        *host_names(plan),
    )


@dataclass(slots=True)
class RunClients:
    """The clients of a plan. They record in `history` what they send and receive."""

    plan: Plan
    cluster: SimCluster
    history: History
    checkers: Checkers
    _producers: list[SimProducer] = field(default_factory=list)
    _others: list[MultiPartitionProducer | EdgeCaseClient | OddGroupClient] = field(
        default_factory=list
    )
    _consumers: list[SimConsumer] = field(default_factory=list)
    _members: list[SimMember] = field(default_factory=list)
    transactional: TransactionalWorkload = field(init=False)
    consumer_groups: ConsumerGroupWorkload = field(init=False)
    compacted: CompactedWorkload = field(init=False)

    def __post_init__(self) -> None:
        """Create the clients that start only if the plan has them."""
        around = GroupSurroundings(
            self.history, self.checkers.groups, lambda: self.checkers.replicas.image, self._term
        )
        self.consumer_groups = ConsumerGroupWorkload(
            self.plan, self.cluster, around, self.connections
        )
        self.transactional = TransactionalWorkload(
            self.plan,
            self.cluster,
            self.history,
            self.connections,
            self._is_deposed,
            self._transaction_version,
        )
        self.compacted = CompactedWorkload(self.plan, self.cluster, self.connections)

    def start(self) -> None:
        """Start the clients of the plan."""
        plan = self.plan
        everywhere = [TopicPartition(TOPIC, index) for index in range(plan.cluster.partitions)]
        rng = self.cluster.world.rng("clients")
        for number in range(plan.load.producers):
            acks = rng.choice((-1, 1)) if number else -1
            producer = SimProducer(
                self.connections(f"p{number}"), self.history, f"p{number}", everywhere, acks,
                plan.load.idempotent and acks == -1, plan.load.pace_ms, plan.load.backfill_ms,
            )  # fmt: skip
            self._producers.append(producer)
            producer.start()
        consumer = SimConsumer(
            self.connections("c"), self.history, everywhere, rack=rack_of(plan, "c")
        )
        self._consumers.append(consumer)
        consumer.start()
        if any(incident.what in DAMAGE for incident in plan.faults.incidents):
            scanner = SimConsumer(
                self.connections("scanner"), self.history, everywhere, "scanner",
                rack=rack_of(plan, "scanner"),
            )  # fmt: skip
            self._consumers.append(scanner)
            scanner.start()
            scanner.start_over(_SCAN_EVERY_MS)
        for number in range(plan.load.groups):
            name = f"g{number}"
            member = SimMember(
                self.connections(name), self.history, "g", name, everywhere, self._is_deposed
            )
            self._members.append(member)
            member.start()
        if plan.load.multi_partition:
            self._others.append(
                MultiPartitionProducer(
                    self.connections("joint"), self.history, "joint", everywhere, plan.load.pace_ms,
                    self.checkers.rejected_writes.append,
                )
            )  # fmt: skip
        if plan.load.edge_cases:
            self._others.append(
                EdgeCaseClient(
                    self.connections("odd"), self.history, "odd", everywhere, 4 * plan.load.pace_ms
                )
            )
            for name in _ODD_GROUP_CLIENTS:
                self._others.append(OddGroupClient(self.connections(name), name, plan.load.pace_ms))
        for other in self._others:
            other.start()
        if plan.load.transactions:
            self.transactional.create_topics()
            self.transactional.start()
        if plan.load.consumer_groups:
            self.consumer_groups.start()
        if plan.load.compacted_writers:
            self.compacted.create_topic()
            self.compacted.start()

    def slow_down(self, interval_ms: int) -> None:
        """Let producers send a batch at most every `interval_ms`."""
        for producer in (*self._producers, *self._others):
            producer.interval_ms = max(producer.interval_ms, interval_ms)
        self.transactional.slow_down(interval_ms)
        self.compacted.slow_down(interval_ms)
        self.consumer_groups.around.is_calm = True

    def stop_writing(self) -> None:
        """Stop the producers and the members of groups."""
        for member in self._members:
            member.running = False
        self.transactional.stop_writing()
        self.compacted.stop_writing()
        self.consumer_groups.around.is_quiet = True
        for producer in (*self._producers, *self._others):
            producer.running = False

    def stop_reading(self) -> None:
        """Stop the consumers."""
        for consumer in self._consumers:
            consumer.running = False
        self.transactional.stop_reading()
        self.compacted.stop_reading()
        self.consumer_groups.stop()

    @property
    def rebalances(self) -> int:
        """Number of rebalances of all members."""
        return sum(member.rebalances for member in self._members)

    @property
    def sent_to_followers(self) -> int:
        """Number of fetches of the consumers whose response named another replica."""
        return sum(consumer.replicas.named for consumer in self._consumers)

    def groups_are_stable(self) -> bool:
        """Return True if every group is stable, or there is none."""
        if self.plan.load.transactions and not self.transactional.group_is_stable():
            return False
        if self.plan.load.consumer_groups and not self.consumer_groups.are_stable():
            return False
        return is_stable(
            self._members, self.plan.cluster.partitions, self.cluster.world.now_ms
        ) or (not self._members)

    def connections(self, name: str, without: Collection[int] = ()) -> ClientConnections:
        """Return the connections of a client that knows all brokers but those in `without`."""
        bootstrap = [
            (host(node_id), BROKER_PORT)
            for node_id in self.cluster.broker_ids
            if node_id not in without
        ]
        rng = self.cluster.world.rng(name)
        return ClientConnections(self.cluster.world, self.cluster.network, name, bootstrap, rng)

    def _transaction_version(self) -> int | None:
        """Return the committed level of transaction.version; None before the first image."""
        image = self.checkers.replicas.image
        return image.feature(TRANSACTION_VERSION) if image.features else None

    def _term(self, coordinator: str) -> int | None:
        """Return the leader epoch in which a host is the coordinator now; None if it is not."""
        now = self.checkers.replicas.image.partition(OFFSETS_TOPIC, 0)
        return None if now is None or host(now.leader) != coordinator else now.leader_epoch

    def _is_deposed(self, coordinator: tuple[str, int]) -> bool:
        """Return True if another broker leads the only partition of the offsets topic."""
        now = self.checkers.replicas.image.partition(OFFSETS_TOPIC, 0)
        return now is None or host(now.leader) != coordinator[0]
