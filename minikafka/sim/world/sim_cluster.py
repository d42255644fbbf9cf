"""A simulated cluster: its machines, formatted and named.

Node n is the host `nN`. Brokers listen on 9092 for clients and on 9094 for brokers, controllers on
9093. With `separate_controller` nodes 100, 101, … are controllers only; otherwise nodes 1, 2, … are
both. `voters` is the number of those that vote first, `spares` that of others that may be made
voters of a dynamic quorum.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random

from minikafka.common.ids import Uuid
from minikafka.metadata.broker_registration import Endpoint
from minikafka.metadata.features import DEFAULT_LEVELS
from minikafka.raft.storage import format_directory, format_metadata_directory
from minikafka.raft.voter_set import RaftVoter, VoterSet
from minikafka.sim.world.machine_clock import EPOCH_MS
from minikafka.sim.world.network import SimNetwork
from minikafka.sim.world.sim_client import SimClient
from minikafka.sim.world.sim_disk import SimDisk
from minikafka.sim.world.sim_node import SimNode
from minikafka.sim.world.world import World

CONTROLLER_ID = 100
"""The id of the first separate controller."""
BROKER_PORT = 9092
CONTROLLER_PORT = 9093
INTERNAL_PORT = 9094


@dataclass(slots=True, kw_only=True)
class SimCluster:
    """The machines of one cluster. `given` is added to the configuration of every node."""

    world: World
    brokers: int = 3
    given: Mapping[str, str] = field(default_factory=dict)
    levels: Mapping[str, int] = field(default_factory=lambda: dict(DEFAULT_LEVELS))
    separate_controller: bool = False
    voters: int = 1
    spares: int = 0
    is_dynamic: bool = False
    """True if the voters are in the metadata log, not in the configuration (KIP-853)."""
    log_dirs: int = 1
    racks: int = 0
    """The number of racks; broker n is in `rack(n, racks)`."""
    on_step: Callable[[SimNode], None] = lambda _: None
    network: SimNetwork = field(init=False)
    nodes: dict[int, SimNode] = field(default_factory=dict, init=False)
    cluster_id: str = field(init=False)
    directory_ids: dict[int, Uuid] = field(init=False)
    """The id of each node's directory with the metadata log."""

    def __post_init__(self) -> None:
        """Create the machines and format their disks."""
        self.network = SimNetwork(self.world)
        rng = self.world.rng("cluster")
        self.cluster_id = str(Uuid.draw(rng))
        ids = sorted({*range(1, self.brokers + 1), *self.controller_ids})
        self.directory_ids = {node_id: Uuid.draw(rng) for node_id in ids}
        for node_id in ids:
            node = SimNode(
                self.world, self.network, host(node_id), self.cluster_id, self.values(node_id)
            )
            node.on_step = self._stepped
            self.nodes[node_id] = node
            self._format(node, self._first_voters() if self.votes_first(node_id) else None, rng)

    def _format(self, node: SimNode, voters: VoterSet | None, rng: Random) -> None:
        node_id = node.config.node_id
        for path, disk in node.disks.items():
            is_metadata = path == node.config.metadata_log_dir
            if node.config.is_controller and is_metadata:
                format_metadata_directory(
                    disk, levels=dict(self.levels), voters=voters, now_ms=EPOCH_MS
                )
            format_directory(
                disk,
                cluster_id=self.cluster_id,
                node_id=node_id,
                directory_id=self.directory_ids[node_id] if is_metadata else Uuid.draw(rng),
            )

    def format_empty(self, node_id: int, rng: Random) -> None:
        """Give a node empty disks with other directory ids; it is no voter with them."""
        node = self.nodes[node_id]
        self.directory_ids[node_id] = Uuid.draw(rng)
        node.disks.update({path: SimDisk(path) for path in node.disks})
        self._format(node, None, rng)

    def replace_disk(self, node_id: int, path: str, rng: Random) -> None:
        """Give a node an empty disk, with another directory id, for one that holds only logs."""
        node = self.nodes[node_id]
        assert path != node.config.metadata_log_dir, f"{path} holds the metadata log"
        node.disks[path] = SimDisk(path)
        format_directory(
            node.disks[path],
            cluster_id=self.cluster_id,
            node_id=node_id,
            directory_id=Uuid.draw(rng),
        )

    @property
    def controller_id(self) -> int:
        """The id of the active controller; without one, of the first voter."""
        for node_id in self.controller_ids:
            running = self.nodes[node_id].node if node_id in self.nodes else None
            controller = None if running is None else running.controller
            if controller is not None and controller.is_active:
                return node_id
        return self.controller_ids[0]

    @property
    def controller_ids(self) -> list[int]:
        """The ids of the nodes that are controllers."""
        first = CONTROLLER_ID if self.separate_controller else 1
        return list(range(first, first + self.voters + self.spares))

    def votes_first(self, node_id: int) -> bool:
        """True if a node is one of the first voters of a dynamic quorum."""
        return self.is_dynamic and node_id in self.controller_ids[: self.voters]

    @property
    def broker_ids(self) -> list[int]:
        """The ids of the nodes that are brokers."""
        return [node_id for node_id, node in self.nodes.items() if node.config.is_broker]

    def values(self, node_id: int) -> dict[str, str]:
        """Return a node's configuration, as in a properties file."""
        roles = []
        listeners = []
        if node_id <= self.brokers:
            roles.append("broker")
            listeners.append(f"PLAINTEXT://{host(node_id)}:{BROKER_PORT}")
            listeners.append(f"INTERNAL://{host(node_id)}:{INTERNAL_PORT}")
        if node_id in self.controller_ids:
            roles.append("controller")
            listeners.append(f"CONTROLLER://{host(node_id)}:{CONTROLLER_PORT}")
        factor = str(max(1, min(3, self.brokers)))
        directories = [f"{host(node_id)}-{number}" for number in range(self.log_dirs)]
        return {
            "process.roles": ",".join(roles),
            "node.id": str(node_id),
            "listeners": ",".join(listeners),
            "listener.security.protocol.map": (
                "PLAINTEXT:PLAINTEXT,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT"
            ),
            "controller.listener.names": "CONTROLLER",
            "inter.broker.listener.name": "INTERNAL",
            **self._quorum(),
            "log.dirs": ",".join(f"/{name}" for name in directories),
            "default.replication.factor": factor,
            "offsets.topic.replication.factor": factor,
            "transaction.state.log.replication.factor": factor,
            "offsets.topic.num.partitions": "1",
            "transaction.state.log.num.partitions": "1",
            "group.initial.rebalance.delay.ms": "0",
            **({"broker.rack": rack(node_id, self.racks)} if self.racks else {}),
            **self.given,
        }

    def _quorum(self) -> dict[str, str]:
        if self.is_dynamic:
            servers = [f"{host(each)}:{CONTROLLER_PORT}" for each in self.controller_ids]
            return {"controller.quorum.bootstrap.servers": ",".join(servers)}
        voters = [f"{each}@{host(each)}:{CONTROLLER_PORT}" for each in self.controller_ids]
        return {"controller.quorum.voters": ",".join(voters)}

    def _first_voters(self) -> VoterSet:
        return VoterSet.of(
            RaftVoter(
                each,
                self.directory_ids[each],
                (Endpoint("CONTROLLER", host(each), CONTROLLER_PORT),),
            )
            for each in self.controller_ids[: self.voters]
        )

    def start(self, within_ms: int = 60_000) -> None:
        """Start every machine; return when all brokers serve clients."""
        for node in self.nodes.values():
            node.start()
        self.world.run_until(self.all_started, within_ms, "every broker serves clients")

    def all_started(self) -> bool:
        """Return True if every node serves."""
        return all(node.started for node in self.nodes.values())

    def client(self, name: str = "client", node_id: int = 1, port: int = BROKER_PORT) -> SimClient:
        """Return a client of one broker."""
        return SimClient(self.world, self.network, name, (host(node_id), port))

    def _stepped(self, node: SimNode) -> None:
        self.on_step(node)


def host(node_id: int) -> str:
    """Return the name of a node's machine."""
    return f"n{node_id}"


def rack(number: int, racks: int) -> str:
    """Return the rack of a broker: one of r0, r1, …, in turn."""
    return f"r{number % racks}"
