"""Runs the commands of a scenario on a simulated cluster, one after the other.

Each command starts at a multiple of five seconds of virtual time and ends when nothing has changed
for `QUIET_MS`, or with `wait=` after that time, so that shifts in time do not add up. The
transcript has every committed change of a partition, starts and ends of brokers, the result of each
Produce, and the values that are read. The checkers run, too: a broken rule ends the scenario with a
line.

Topics have one partition. Records are r1, r2 … of their topic.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from minikafka.common.ids import TopicPartition
from minikafka.metadata.features import DEFAULT_LEVELS, ELIGIBLE_LEADER_REPLICAS_VERSION
from minikafka.metadata.partition_registration import NO_LEADER
from minikafka.sim.checks.checkers import Checkers
from minikafka.sim.checks.history import History
from minikafka.sim.scenario.scenario import Command, CommandArguments
from minikafka.sim.scenario.scenario_clients import ScenarioClients
from minikafka.sim.scenario.scenario_machines import ScenarioMachines
from minikafka.sim.scenario.transcript import Transcript, numbers
from minikafka.sim.world.sim_cluster import SimCluster
from minikafka.sim.world.sim_node import SimNode
from minikafka.sim.world.violation import Violation
from minikafka.sim.world.world import US_PER_MS, ConditionTimeoutError, World

QUIET_MS = 3_000
"""Longer than a session, so that a silent broker is fenced before the next command."""
_LONGEST_MS = 30_000
_SECOND_US = 1_000_000
_SLOT_US = 5 * _SECOND_US
_QUERIES = ("read", "logs")
"""Commands after which nothing changes."""
_TIMES = {
    "broker.session.timeout.ms": "1500",
    "broker.heartbeat.interval.ms": "300",
    "replica.lag.time.max.ms": "1000",
    "replica.fetch.backoff.ms": "200",
    "replica.socket.timeout.ms": "2000",
    "request.timeout.ms": "2000",
    "unclean.recovery.timeout.ms": "10000",
    "auto.leader.rebalance.enable": "false",
}


CarryOut = Callable[["ScenarioRunner", CommandArguments], None]


def _by_machines(command: Callable[[ScenarioMachines, CommandArguments], None]) -> CarryOut:
    return lambda runner, words: command(runner.machines, words)


@dataclass(slots=True)
class ScenarioRunner:
    """Runs commands, one per call of `carry_out`; `broken` is the violation, if any."""

    broken: str = ""
    _cluster: SimCluster | None = None
    _clients: ScenarioClients | None = None
    _checkers: Checkers | None = None
    _machines: ScenarioMachines | None = None
    _transcript: Transcript | None = None

    def carry_out(self, command: Command) -> list[str]:
        """Run a command and the world after it; return a line for each event.

        Raises:
            ScenarioError: the command is impossible now, or its words are wrong.
        """
        if self.broken:
            return []
        words = command.words()
        wait = words.option("wait")
        wait_ms = words.duration_ms(wait) if wait else None
        if (self._cluster is None) != (command.name == "cluster"):
            raise command.wrong("a scenario begins with cluster, and has one")
        try:
            self.CARRY_OUT[command.name](self, words)
            if command.name not in _QUERIES or wait:
                self._let_pass(wait_ms)
        except ConditionTimeoutError as error:
            raise command.wrong(str(error)) from error
        except Violation as violation:
            self.broken = str(violation)
            self.transcript.note("BROKEN", self.broken)
        return self.transcript.take()

    def row(self, topic: str) -> dict[str, str]:
        """Return a topic's partition in the format of golden sequences."""
        now = self.transcript.known[topic]
        return {
            "leader": "none" if now.leader == NO_LEADER else str(now.leader),
            "epoch": str(now.leader_epoch),
            "isr": numbers(now.isr),
            "elr": numbers(now.elr),
            "last": numbers(now.last_known_elr),
            "offline": numbers([each for each in now.replicas if each in self.transcript.fenced]),
            "replicas": numbers(now.replicas),
        }

    def answer(self, topic: str) -> str:
        """Return the last response to an operator about a topic: the name of an error, or NONE."""
        assert self._clients is not None
        return self._clients.answers.get(topic, "")

    def outcome(self, topic: str, acks: int) -> str:
        """Return the result of the last Produce to a topic: the offset, or the name of an error."""
        assert self._clients is not None
        return self._clients.outcomes[topic, acks]

    def seen(self, topic: str) -> list[str]:
        """Return the values of the last read."""
        assert self._clients is not None
        return self._clients.seen[topic]

    @property
    def transcript(self) -> Transcript:
        """The lines of the present command, and the partitions as they are committed."""
        assert self._transcript is not None
        return self._transcript

    @property
    def machines(self) -> ScenarioMachines:
        """The machines, after the command `cluster`."""
        assert self._machines is not None
        return self._machines

    @property
    def _world(self) -> World:
        return self.transcript.world

    def _stepped(self, node: SimNode) -> None:
        assert self._checkers is not None
        if node.node is not None and node.node.controller is not None:
            self.transcript.follow(node.node.loader.image)
        self._checkers.check(node)

    def _let_pass(self, wait_ms: int | None) -> None:
        """Run until nothing changes any more, and then to the start of the next slot."""
        world = self._world
        if wait_ms is not None:
            world.run(wait_ms)
            return
        end_us = world.now_us + _LONGEST_MS * US_PER_MS
        quiet_since_us, told = world.now_us, len(self.transcript)
        while world.now_us < end_us and (
            world.now_us - quiet_since_us < QUIET_MS * US_PER_MS or self._is_busy()
        ):
            world.run(100)
            if len(self.transcript) != told:
                quiet_since_us, told = world.now_us, len(self.transcript)
        world.run((-world.now_us % _SLOT_US) // US_PER_MS)

    def _is_busy(self) -> bool:
        """Return True if a Produce has no response yet, or a broker is starting or stopping."""
        assert self._clients is not None
        return self._clients.is_waiting or self.machines.are_busy

    # The cluster

    def _do_cluster(self, words: CommandArguments) -> None:
        strategy = words.option("strategy")
        recovery = words.switch("recovery", default=bool(strategy))
        min_isr = words.number("min.isr", 1)
        given = {
            **_TIMES,
            "min.insync.replicas": str(min_isr),
            "unclean.recovery.manager.enabled": str(recovery).lower(),
            "unclean.recovery.strategy": strategy or "Balanced",
        }
        if "unclean" in words.options:
            allowed = words.switch("unclean", default=False)
            given["unclean.leader.election.enable"] = str(allowed).lower()
        elr = words.switch("elr", default=True)
        detection = words.switch("detection", default=True)
        given["stopped.node.detection.enable"] = str(detection).lower()
        brokers, seed = words.number("brokers", 3), words.number("seed", 1)
        words.finish()
        if strategy not in ("", "Balanced", "Aggressive", "None"):
            raise words.command.wrong(f"strategy={strategy}: Balanced, Aggressive or None")
        if brokers < 1:
            raise words.command.wrong("brokers=0: at least 1")
        world = World(seed)
        transcript = self._transcript = Transcript(world)
        world.on_line = transcript.add_line
        cluster = self._cluster = SimCluster(
            world=world,
            brokers=brokers,
            given=given,
            levels={**DEFAULT_LEVELS, ELIGIBLE_LEADER_REPLICAS_VERSION: int(elr)},
            separate_controller=True,
            on_step=self._stepped,
        )
        self._machines = ScenarioMachines(cluster)
        checkers = self._checkers = Checkers(History(), min_isr, elr, cluster.nodes)
        for node in cluster.nodes.values():
            node.on_power_loss = self._lost_power
        checkers.elections.given = given
        self._clients = ScenarioClients(
            cluster, transcript.note, transcript.known, checkers.elections.asked
        )
        cluster.start()
        transcript.take()

    def _do_topic(self, words: CommandArguments) -> None:
        name = words.next("a name")
        replicas = words.numbers(words.option("replicas", "1,2,3"))
        config = _settings(words)
        words.finish()
        self._clients_now().create(words.command, name, replicas, config)

    def _do_feature(self, words: CommandArguments) -> None:
        elr = words.switch("elr", default=True)
        words.finish()
        self._clients_now().set_feature(words.command, ELIGIBLE_LEADER_REPLICAS_VERSION, int(elr))

    def _lost_power(self, node: SimNode) -> None:
        assert self._checkers is not None
        self._checkers.lost_records(node.config.node_id)

    # Clients and operators

    def _clients_now(self) -> ScenarioClients:
        """Return the clients, which reach every serving broker."""
        assert self._clients is not None
        self._clients.reachable = self.machines.reachable
        return self._clients

    def _topics(self, words: CommandArguments) -> list[str]:
        """Take the named topics, or all."""
        if not self.transcript.known:
            raise words.command.wrong("there is no topic yet")
        named = [word for word in words.plain if word in self.transcript.known]
        words.plain = [word for word in words.plain if word not in self.transcript.known]
        return named or list(self.transcript.known)

    def _do_produce(self, words: CommandArguments) -> None:
        count = words.to_number(words.next("how many records"))
        acks = words.option("acks", "all")
        if acks not in ("all", "1", "0"):
            raise words.command.wrong(f"acks={acks}: all, 1 or 0")
        at = words.option("at")
        leader = words.to_number(at, "at=") if at else None
        topics = self._topics(words)
        words.finish()
        if not count:
            raise words.command.wrong("produce 0: at least 1")
        for topic in topics:
            self._clients_now().produce(topic, count, -1 if acks == "all" else int(acks), leader)

    def _do_read(self, words: CommandArguments) -> None:
        topics = self._topics(words)
        words.finish()
        for topic in topics:
            self._clients_now().read(topic)

    def _do_poll(self, words: CommandArguments) -> None:
        """Let a reader wait at the end for records."""
        for_ms = words.duration_ms(words.option("for", "10s"))
        topics = self._topics(words)
        words.finish()
        for topic in topics:
            self._clients_now().poll(topic, for_ms)

    def _do_delete(self, words: CommandArguments) -> None:
        topics = self._topics(words)
        words.finish()
        for topic in topics:
            self._clients_now().delete(words.command, topic)

    def _do_logs(self, words: CommandArguments) -> None:
        """Note the log end offset and high watermark of each replica."""
        assert self._cluster is not None
        topics = self._topics(words)
        words.finish()
        for topic in topics:
            for node_id in self.transcript.known[topic].replicas:
                node = self._cluster.nodes[node_id]
                if node.node is None or node.node.broker is None:
                    self.transcript.note(node.host, "does not run")
                    continue
                partition = node.node.broker.replicas.partitions.get(TopicPartition(topic, 0))
                if partition is None:
                    self.transcript.note(node.host, f"has no {topic}")
                    continue
                log = partition.log
                self.transcript.note(
                    node.host,
                    f"{topic} ends at {log.log_end_offset}, high watermark {log.high_watermark}",
                )

    def _do_elect(self, words: CommandArguments) -> None:
        kind = words.next("a type of election")
        leader = words.option("leader")
        topics = self._topics(words)
        words.finish()
        desired = words.to_number(leader) if leader else None
        self._clients_now().elect(words.command, kind, topics, desired)

    def _do_alter(self, words: CommandArguments) -> None:
        topics = self._topics(words)
        config = _settings(words)
        words.finish()
        if not config:
            raise words.command.wrong("alter needs min.isr=, strategy=, unclean= or a key of Kafka")
        self._clients_now().alter(words.command, topics, config)

    def _do_reassign(self, words: CommandArguments) -> None:
        topics = self._topics(words)
        target = words.next("replicas, as 1,2,4, or cancel")
        words.finish()
        replicas = None if target == "cancel" else words.numbers(target)
        self._clients_now().reassign(words.command, topics, replicas)

    def _do_wait(self, words: CommandArguments) -> None:
        what = words.next("a time, or leader")
        if what == "leader":
            topics = self._topics(words)
            words.finish()

            def led() -> bool:
                return all(self.transcript.known[topic].leader != NO_LEADER for topic in topics)

            self._world.run_until(led, _LONGEST_MS, f"a leader of {', '.join(topics)}")
            return
        for_ms = words.duration_ms(what)
        words.finish()
        self._world.run(for_ms)

    CARRY_OUT: ClassVar[dict[str, CarryOut]] = {
        "cluster": _do_cluster,
        "topic": _do_topic,
        "produce": _do_produce,
        "read": _do_read,
        "poll": _do_poll,
        "logs": _do_logs,
        "delete": _do_delete,
        "kill": _by_machines(ScenarioMachines.kill),
        "power-cut": _by_machines(ScenarioMachines.power_cut),
        "stop": _by_machines(ScenarioMachines.stop),
        "start": _by_machines(ScenarioMachines.start),
        "pause": _by_machines(ScenarioMachines.pause),
        "resume": _by_machines(ScenarioMachines.resume),
        "slow-disk": _by_machines(ScenarioMachines.slow_disk),
        "cut": _by_machines(ScenarioMachines.cut),
        "isolate": _by_machines(ScenarioMachines.isolate),
        "heal": _by_machines(ScenarioMachines.heal),
        "elect": _do_elect,
        "alter": _do_alter,
        "reassign": _do_reassign,
        "feature": _do_feature,
        "wait": _do_wait,
    }


def _settings(words: CommandArguments) -> dict[str, str]:
    """Take the configuration of a topic: short names, or those of Kafka."""
    config = {}
    if "min.isr" in words.options:
        config["min.insync.replicas"] = words.option("min.isr")
    if "strategy" in words.options:
        config["unclean.recovery.strategy"] = words.option("strategy")
    if "unclean" in words.options:
        allowed = words.switch("unclean", default=False)
        config["unclean.leader.election.enable"] = str(allowed).lower()
    config |= {key: words.option(key) for key in list(words.options) if "." in key}
    return config
