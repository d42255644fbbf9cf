"""The commands of a scenario that change machines and links."""

from dataclasses import dataclass, field
from random import Random

from minikafka.sim.scenario.scenario import CommandArguments
from minikafka.sim.world.sim_cluster import CONTROLLER_ID, SimCluster, host
from minikafka.sim.world.sim_node import SimNode

_SECOND_US = 1_000_000
_USUAL_FLUSH_US = (100, 3_000)
_SLOW_FLUSH_US = (2 * _SECOND_US, 4 * _SECOND_US)
_CONTROLLER = "controller"
_KEEPS = ("chance", "nothing", "records")
"""The unflushed bytes that survive a power cut; `records`: all of segments, nothing else."""


class _LeastRandom(Random):
    """Draws the minimum: only durable bytes survive."""

    def random(self) -> float:
        return 0.0

    def randint(self, a: int, b: int) -> int:
        del b
        return a


@dataclass(slots=True)
class ScenarioMachines:
    """The machines of a scenario, with what is paused and cut. Methods are named like commands.

    Raises:
        ScenarioError: from every command that is impossible now, or whose words are wrong.
    """

    cluster: SimCluster
    paused: dict[int, None] = field(default_factory=dict)
    """The ids of the nodes whose processes are paused."""
    cuts: dict[tuple[str, str], None] = field(default_factory=dict)
    """The pairs of hosts whose links are cut."""

    @property
    def are_busy(self) -> bool:
        """True if a broker is starting or stopping and can go on."""
        nodes = self.cluster.nodes
        return any(
            node.stopping or (node.alive and not node.started and not self.cuts)
            for node_id, node in nodes.items()
            if node_id not in self.paused and nodes[self.cluster.controller_id].alive
        )

    @property
    def reachable(self) -> list[int]:
        """The ids of the brokers that serve clients and are not cut off from another node."""
        return [
            node_id
            for node_id in self.cluster.broker_ids
            if self.cluster.nodes[node_id].started
            and node_id not in self.paused
            and all(host(node_id) not in pair for pair in self.cuts)
        ]

    def _nodes(self, words: CommandArguments, *, alive: bool | None) -> list[SimNode]:
        """Take the named nodes; `alive`: their processes must run (True) or must not (False)."""
        found = []
        for name in words.rest("a node"):
            node_id = CONTROLLER_ID if name == _CONTROLLER else words.to_number(name)
            node = self.cluster.nodes.get(node_id)
            if node is None:
                raise words.command.wrong(f"there is no node {name}")
            if alive is not None and node.alive != alive:
                raise words.command.wrong(f"{node.host} {'does not run' if alive else 'runs'}")
            found.append(node)
        words.finish()
        return found

    def kill(self, words: CommandArguments) -> None:
        """Kill processes."""
        for node in self._nodes(words, alive=True):
            self.paused.pop(node.config.node_id, None)
            node.kill()

    def power_cut(self, words: CommandArguments) -> None:
        """Cut the power; `keep=` says which unflushed bytes survive."""
        keeps = words.option("keep", "chance")
        if keeps not in _KEEPS:
            raise words.command.wrong(f"keep={keeps}: {', '.join(_KEEPS)}")
        nodes = self._nodes(words, alive=True)
        for node in nodes:
            self.paused.pop(node.config.node_id, None)
            for disk in node.disks.values() if keeps != "chance" else ():
                if keeps == "records":
                    disk.sync_files(".log")
                disk.lose_power(_LeastRandom())
            node.lose_power()

    def stop(self, words: CommandArguments) -> None:
        """Request controlled shutdowns."""
        for node in self._nodes(words, alive=True):
            node.shut_down()

    def start(self, words: CommandArguments) -> None:
        """Start processes."""
        for node in self._nodes(words, alive=False):
            node.start()

    def pause(self, words: CommandArguments) -> None:
        """Pause processes."""
        for node in self._nodes(words, alive=True):
            self.paused[node.config.node_id] = None
            node.pause()

    def resume(self, words: CommandArguments) -> None:
        """Resume paused processes."""
        nodes = self._nodes(words, alive=True)
        for node in nodes:
            if self.paused.pop(node.config.node_id, 0) == 0:
                raise words.command.wrong(f"{node.host} is not paused")
            node.resume()

    def slow_disk(self, words: CommandArguments) -> None:
        """Make flushes take seconds; `usual` before the nodes ends that."""
        usual = words.plain[:1] == ["usual"]
        if usual:
            words.next("usual")
        for node in self._nodes(words, alive=None):
            node.flush_us = _USUAL_FLUSH_US if usual else _SLOW_FLUSH_US

    # Links

    def cut(self, words: CommandArguments) -> None:
        """Cut the link between two nodes; `one-way`: only from the first to the second."""
        pair = words.next("two nodes, as 1-2").split("-")
        both = words.plain != ["one-way"]
        if not both:
            words.plain.clear()
        words.finish()
        if len(pair) != 2:
            raise words.command.wrong("cut needs two nodes, as 1-2")
        one, other = (self._host(words, name) for name in pair)
        self.cluster.network.cut(one, other, both=both)
        self.cuts[one, other] = None

    def isolate(self, words: CommandArguments) -> None:
        """Cut a node off from all other nodes; clients reach it."""
        nodes = self._nodes(words, alive=None)
        for node in nodes:
            for other in self.cluster.nodes.values():
                if other is not node:
                    self.cluster.network.cut(node.host, other.host)
                    self.cuts[node.host, other.host] = None

    def heal(self, words: CommandArguments) -> None:
        """Heal all links, or those of the named nodes."""
        hosts = [self._host(words, name) for name in words.plain]
        words.plain.clear()
        words.finish()
        healed = [pair for pair in self.cuts if not hosts or pair[0] in hosts or pair[1] in hosts]
        if not healed:
            raise words.command.wrong("nothing is cut")
        for pair in healed:
            del self.cuts[pair]
            self.cluster.network.heal(*pair)

    def _host(self, words: CommandArguments, name: str) -> str:
        node_id = CONTROLLER_ID if name == _CONTROLLER else words.to_number(name)
        if node_id not in self.cluster.nodes:
            raise words.command.wrong(f"there is no node {name}")
        return host(node_id)
