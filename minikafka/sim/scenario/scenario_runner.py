"""Runs the commands of a scenario on a simulated cluster, one after the other.

Each command starts at a multiple of five seconds of virtual time and ends when nothing has changed
for `QUIET_MS`, or with `wait=` after that time, so that shifts in time do not add up. The
transcript has every committed change of a partition, starts and ends of brokers, the result of each
Produce, and the values that are read. The checkers run, too: a broken rule ends the scenario with a
line.

Topics have one partition. Records are r1, r2 … of their topic.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import ClassVar, NamedTuple

from minikafka.common.ids import TopicPartition
from minikafka.metadata.features import DEFAULT_LEVELS, ELIGIBLE_LEADER_REPLICAS_VERSION
from minikafka.metadata.partition_registration import NO_LEADER, PartitionRegistration
from minikafka.sim.checks.checkers import Checkers
from minikafka.sim.checks.history import History
from minikafka.sim.scenario.scenario import Command, CommandArguments
from minikafka.sim.scenario.scenario_clients import ScenarioClients
from minikafka.sim.world.sim_cluster import CONTROLLER_ID, SimCluster, host
from minikafka.sim.world.sim_node import SimNode
from minikafka.sim.world.violation import Violation
from minikafka.sim.world.world import US_PER_MS, ConditionTimeoutError, World

QUIET_MS = 3_000
"""Longer than a session, so that a silent broker is fenced before the next command."""
_LONGEST_MS = 30_000
_SECOND_US = 1_000_000
_USUAL_FLUSH_US = (100, 3_000)
_SLOW_FLUSH_US = (2 * _SECOND_US, 4 * _SECOND_US)
_SLOT_US = 5 * _SECOND_US
_CONTROLLER = "controller"
_QUERIES = ("read", "logs")
"""Commands after which nothing changes."""
_KEEPS = ("chance", "nothing", "records")
"""The unflushed bytes that survive a power cut; `records`: all of segments, nothing else."""
_LISTED_LAST = ("operator", "reader", "BROKEN")
# Lines that repeat the command.
_ECHOES = ("starts", "is killed", "loses power", "is asked to shut down", "is paused", "goes on")
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


class TranscriptLine(NamedTuple):
    """One line of a transcript."""

    time: str
    who: str
    what: str

    def __str__(self) -> str:
        return f"{self.time:<8}{self.who:<8} {self.what}"


class _LeastRandom(Random):
    """Draws the minimum: only durable bytes survive."""

    def randint(self, a: int, b: int) -> int:
        del b
        return a


@dataclass(slots=True)
class ScenarioRunner:
    """Runs commands, one per call of `carry_out`; `broken` is the violation, if any."""

    broken: str = ""
    known: dict[str, PartitionRegistration] = field(default_factory=dict)
    """The last committed registration of each topic's partition."""
    _cluster: SimCluster | None = None
    _clients: ScenarioClients | None = None
    _checkers: Checkers | None = None
    _lines: list[TranscriptLine] = field(default_factory=list)
    _grown: dict[str, TranscriptLine] = field(default_factory=dict)
    """Topics whose last line is an expansion of the ISR, and that line."""
    _topics_seen: dict[str, None] = field(default_factory=dict)
    _fenced: tuple[int, ...] = ()
    _cuts: dict[tuple[str, str], None] = field(default_factory=dict)
    _paused: dict[int, None] = field(default_factory=dict)

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
            self._note("BROKEN", self.broken)
        lines, self._lines = self._lines, []
        return [str(line) for line in sorted(lines, key=self._rank)]

    def row(self, topic: str) -> dict[str, str]:
        """Return a topic's partition in the format of golden sequences."""
        now = self.known[topic]
        return {
            "leader": "none" if now.leader == NO_LEADER else str(now.leader),
            "epoch": str(now.leader_epoch),
            "isr": _numbers(now.isr),
            "elr": _numbers(now.elr),
            "last": _numbers(now.last_known_elr),
            "offline": _numbers([each for each in now.replicas if each in self._fenced]),
            "replicas": _numbers(now.replicas),
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

    # The transcript

    @property
    def _world(self) -> World:
        assert self._cluster is not None
        return self._cluster.world

    def _note(self, who: str, what: str) -> None:
        self._lines.append(TranscriptLine(f"{self._world.now_us / _SECOND_US:.1f}s", who, what))

    def _rank(self, line: TranscriptLine) -> int:
        """Return the position of a line: nodes, topics, operators and readers.

        Events at the same time in two places have no order; the transcript needs one.
        """
        topics = list(self._topics_seen)
        if line.who in topics:
            return topics.index(line.who)
        if line.who in _LISTED_LAST:
            return len(topics) + _LISTED_LAST.index(line.who)
        return int(line.who[1:]) - CONTROLLER_ID - 1

    def _on_line(self, line: str) -> None:
        _, who, what = line.split(None, 2)
        if what not in _ECHOES:
            self._note(who, what)

    def _stepped(self, node: SimNode) -> None:
        assert self._checkers is not None
        if node.node is not None and node.node.controller is not None:
            image = node.node.loader.image
            if image.brokers:
                self._fenced = tuple(x for x, broker in image.brokers.items() if broker.fenced)
            for name in [each for each in self.known if each not in image.topic_ids]:
                if image.brokers:
                    del self.known[name]
                    self._note(name, "is deleted")
            for topic in image.topics.values():
                now = topic.partitions[0]
                if self.known.get(topic.name) != now:
                    self._changed(topic.name, now)
        self._checkers.check(node)

    def _changed(self, topic: str, now: PartitionRegistration) -> None:
        former = self.known.get(topic)
        self.known[topic] = now
        # Partition epochs and directories may change without a visible change.
        if former is not None and described(former) == described(now):
            return
        self._topics_seen[topic] = None
        grew = former is not None and _only_grew(former, now)
        if grew and (told := self._grown.pop(topic, None)) in self._lines:
            # The order in which members come back is random: only the last line is kept.
            self._lines.remove(told)
        self._note(topic, described(now))
        if grew:
            self._grown[topic] = self._lines[-1]
        else:
            self._grown.pop(topic, None)

    def _let_pass(self, wait_ms: int | None) -> None:
        """Run until nothing changes any more, and then to the start of the next slot."""
        world = self._world
        if wait_ms is not None:
            world.run(wait_ms)
            return
        end_us = world.now_us + _LONGEST_MS * US_PER_MS
        quiet_since_us, told = world.now_us, len(self._lines)
        while world.now_us < end_us and (
            world.now_us - quiet_since_us < QUIET_MS * US_PER_MS or self._is_busy()
        ):
            world.run(100)
            if len(self._lines) != told:
                quiet_since_us, told = world.now_us, len(self._lines)
        world.run((-world.now_us % _SLOT_US) // US_PER_MS)

    def _is_busy(self) -> bool:
        """Return True if a Produce has no response yet, or a broker is starting or stopping."""
        assert self._clients is not None
        assert self._cluster is not None
        nodes = self._cluster.nodes
        return self._clients.is_waiting or any(
            node.stopping or (node.alive and not node.started and not self._cuts)
            for node_id, node in nodes.items()
            if node_id not in self._paused and nodes[self._cluster.controller_id].alive
        )

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
        brokers, seed = words.number("brokers", 3), words.number("seed", 1)
        words.finish()
        if strategy not in ("", "Balanced", "Aggressive", "None"):
            raise words.command.wrong(f"strategy={strategy}: Balanced, Aggressive or None")
        if brokers < 1:
            raise words.command.wrong("brokers=0: at least 1")
        self._cluster = SimCluster(
            world=World(seed, self._on_line),
            brokers=brokers,
            given=given,
            levels={**DEFAULT_LEVELS, ELIGIBLE_LEADER_REPLICAS_VERSION: int(elr)},
            separate_controller=True,
            on_step=self._stepped,
        )
        self._checkers = Checkers(History(), min_isr, elr, self._cluster.nodes)
        for node in self._cluster.nodes.values():
            node.on_power_loss = self._lost_power
        self._checkers.elections.given = given
        self._clients = ScenarioClients(
            self._cluster, self._note, self.known, self._checkers.elections.asked
        )
        self._cluster.start()
        self._lines.clear()

    def _do_topic(self, words: CommandArguments) -> None:
        name = words.next("a name")
        replicas = words.numbers(words.option("replicas", "1,2,3"))
        config = _settings(words)
        words.finish()
        self._clients_at(words).create(words.command, name, replicas, config)

    def _do_feature(self, words: CommandArguments) -> None:
        elr = words.switch("elr", default=True)
        words.finish()
        self._clients_at(words).set_feature(
            words.command, ELIGIBLE_LEADER_REPLICAS_VERSION, int(elr)
        )

    # Machines

    def _nodes(self, words: CommandArguments, *, alive: bool | None) -> list[SimNode]:
        """Take the named nodes; `alive`: their processes must run (True) or must not (False)."""
        assert self._cluster is not None
        found = []
        for name in words.rest("a node"):
            node_id = CONTROLLER_ID if name == _CONTROLLER else words.to_number(name)
            node = self._cluster.nodes.get(node_id)
            if node is None:
                raise words.command.wrong(f"there is no node {name}")
            if alive is not None and node.alive != alive:
                raise words.command.wrong(f"{node.host} {'does not run' if alive else 'runs'}")
            found.append(node)
        words.finish()
        return found

    def _do_kill(self, words: CommandArguments) -> None:
        for node in self._nodes(words, alive=True):
            self._paused.pop(node.config.node_id, None)
            node.kill()

    def _do_power_cut(self, words: CommandArguments) -> None:
        keeps = words.option("keep", "chance")
        if keeps not in _KEEPS:
            raise words.command.wrong(f"keep={keeps}: {', '.join(_KEEPS)}")
        nodes = self._nodes(words, alive=True)
        for node in nodes:
            self._paused.pop(node.config.node_id, None)
            for disk in node.disks.values() if keeps != "chance" else ():
                if keeps == "records":
                    disk.sync_files(".log")
                disk.lose_power(_LeastRandom())
            node.lose_power()

    def _lost_power(self, node: SimNode) -> None:
        assert self._checkers is not None
        self._checkers.lost_records(node.config.node_id)

    def _do_stop(self, words: CommandArguments) -> None:
        for node in self._nodes(words, alive=True):
            node.shut_down()

    def _do_start(self, words: CommandArguments) -> None:
        for node in self._nodes(words, alive=False):
            node.start()

    def _do_pause(self, words: CommandArguments) -> None:
        for node in self._nodes(words, alive=True):
            self._paused[node.config.node_id] = None
            node.pause()

    def _do_resume(self, words: CommandArguments) -> None:
        nodes = self._nodes(words, alive=True)
        for node in nodes:
            if self._paused.pop(node.config.node_id, 0) == 0:
                raise words.command.wrong(f"{node.host} is not paused")
            node.resume()

    def _do_slow_disk(self, words: CommandArguments) -> None:
        """Make flushes take seconds; `usual` before the nodes ends that."""
        usual = words.plain[:1] == ["usual"]
        if usual:
            words.next("usual")
        for node in self._nodes(words, alive=None):
            node.flush_us = _USUAL_FLUSH_US if usual else _SLOW_FLUSH_US

    # Links

    def _do_cut(self, words: CommandArguments) -> None:
        """Cut the link between two nodes; `one-way`: only from the first to the second."""
        assert self._cluster is not None
        pair = words.next("two nodes, as 1-2").split("-")
        both = words.plain != ["one-way"]
        if not both:
            words.plain.clear()
        words.finish()
        if len(pair) != 2:
            raise words.command.wrong("cut needs two nodes, as 1-2")
        one, other = (self._host(words, name) for name in pair)
        self._cluster.network.cut(one, other, both=both)
        self._cuts[one, other] = None

    def _do_isolate(self, words: CommandArguments) -> None:
        """Cut a node off from all other nodes; clients reach it."""
        assert self._cluster is not None
        nodes = self._nodes(words, alive=None)
        for node in nodes:
            for other in self._cluster.nodes.values():
                if other is not node:
                    self._cluster.network.cut(node.host, other.host)
                    self._cuts[node.host, other.host] = None

    def _do_heal(self, words: CommandArguments) -> None:
        """Heal all links, or those of the named nodes."""
        assert self._cluster is not None
        hosts = [self._host(words, name) for name in words.plain]
        words.plain.clear()
        words.finish()
        healed = [pair for pair in self._cuts if not hosts or pair[0] in hosts or pair[1] in hosts]
        if not healed:
            raise words.command.wrong("nothing is cut")
        for pair in healed:
            del self._cuts[pair]
            self._cluster.network.heal(*pair)

    def _host(self, words: CommandArguments, name: str) -> str:
        assert self._cluster is not None
        node_id = CONTROLLER_ID if name == _CONTROLLER else words.to_number(name)
        if node_id not in self._cluster.nodes:
            raise words.command.wrong(f"there is no node {name}")
        return host(node_id)

    # Clients and operators

    def _clients_at(self, words: CommandArguments) -> ScenarioClients:
        """Return the clients, which reach every serving broker."""
        assert self._clients is not None
        assert self._cluster is not None
        self._clients.reachable = [
            node_id
            for node_id in self._cluster.broker_ids
            if self._cluster.nodes[node_id].started
            and node_id not in self._paused
            and all(host(node_id) not in pair for pair in self._cuts)
        ]
        del words
        return self._clients

    def _topics(self, words: CommandArguments) -> list[str]:
        """Take the named topics, or all."""
        if not self.known:
            raise words.command.wrong("there is no topic yet")
        named = [word for word in words.plain if word in self.known]
        words.plain = [word for word in words.plain if word not in self.known]
        return named or list(self.known)

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
            self._clients_at(words).produce(
                topic, count, -1 if acks == "all" else int(acks), leader
            )

    def _do_read(self, words: CommandArguments) -> None:
        topics = self._topics(words)
        words.finish()
        for topic in topics:
            self._clients_at(words).read(topic)

    def _do_poll(self, words: CommandArguments) -> None:
        """Let a reader wait at the end for records."""
        for_ms = words.duration_ms(words.option("for", "10s"))
        topics = self._topics(words)
        words.finish()
        for topic in topics:
            self._clients_at(words).poll(topic, for_ms)

    def _do_delete(self, words: CommandArguments) -> None:
        topics = self._topics(words)
        words.finish()
        for topic in topics:
            self._clients_at(words).delete(words.command, topic)

    def _do_logs(self, words: CommandArguments) -> None:
        """Note the log end offset and high watermark of each replica."""
        assert self._cluster is not None
        topics = self._topics(words)
        words.finish()
        for topic in topics:
            for node_id in self.known[topic].replicas:
                node = self._cluster.nodes[node_id]
                if node.node is None or node.node.broker is None:
                    self._note(node.host, "does not run")
                    continue
                partition = node.node.broker.replicas.partitions.get(TopicPartition(topic, 0))
                if partition is None:
                    self._note(node.host, f"has no {topic}")
                    continue
                log = partition.log
                self._note(
                    node.host,
                    f"{topic} ends at {log.log_end_offset}, high watermark {log.high_watermark}",
                )

    def _do_elect(self, words: CommandArguments) -> None:
        kind = words.next("a type of election")
        leader = words.option("leader")
        topics = self._topics(words)
        words.finish()
        desired = words.to_number(leader) if leader else None
        self._clients_at(words).elect(words.command, kind, topics, desired)

    def _do_alter(self, words: CommandArguments) -> None:
        topics = self._topics(words)
        config = _settings(words)
        words.finish()
        if not config:
            raise words.command.wrong("alter needs min.isr=, strategy=, unclean= or a key of Kafka")
        self._clients_at(words).alter(words.command, topics, config)

    def _do_reassign(self, words: CommandArguments) -> None:
        topics = self._topics(words)
        target = words.next("replicas, as 1,2,4, or cancel")
        words.finish()
        replicas = None if target == "cancel" else words.numbers(target)
        self._clients_at(words).reassign(words.command, topics, replicas)

    def _do_wait(self, words: CommandArguments) -> None:
        what = words.next("a time, or leader")
        if what == "leader":
            topics = self._topics(words)
            words.finish()

            def led() -> bool:
                return all(self.known[topic].leader != NO_LEADER for topic in topics)

            self._world.run_until(led, _LONGEST_MS, f"a leader of {', '.join(topics)}")
            return
        for_ms = words.duration_ms(what)
        words.finish()
        self._world.run(for_ms)

    CARRY_OUT: ClassVar[dict[str, Callable[["ScenarioRunner", CommandArguments], None]]] = {
        "cluster": _do_cluster,
        "topic": _do_topic,
        "produce": _do_produce,
        "read": _do_read,
        "poll": _do_poll,
        "logs": _do_logs,
        "delete": _do_delete,
        "kill": _do_kill,
        "power-cut": _do_power_cut,
        "stop": _do_stop,
        "start": _do_start,
        "pause": _do_pause,
        "resume": _do_resume,
        "slow-disk": _do_slow_disk,
        "cut": _do_cut,
        "isolate": _do_isolate,
        "heal": _do_heal,
        "elect": _do_elect,
        "alter": _do_alter,
        "reassign": _do_reassign,
        "feature": _do_feature,
        "wait": _do_wait,
    }


def described(now: PartitionRegistration) -> str:
    """Format a partition in one line; lists are sorted, empty ones except the ISR are omitted."""
    leader = "no leader" if now.leader == NO_LEADER else f"leader {now.leader}"
    parts = [f"{leader}, epoch {now.leader_epoch}, ISR {_numbers(now.isr) or 'empty'}"]
    for name, members in (("ELR", now.elr), ("last known ELR", now.last_known_elr)):
        if members:
            parts.append(f"{name} {_numbers(members)}")
    if now.last_known_leader != NO_LEADER:
        parts.append(f"last known leader {now.last_known_leader}")
    if now.leader_recovery_state:
        parts.append("unclean")
    if now.adding_replicas:
        parts.append(f"adding {_numbers(now.adding_replicas)}")
    if now.removing_replicas:
        parts.append(f"removing {_numbers(now.removing_replicas)}")
    return ", ".join(parts)


def _only_grew(former: PartitionRegistration, now: PartitionRegistration) -> bool:
    """Return True if the only change is an expansion of the ISR."""
    return (
        (former.leader, former.leader_epoch) == (now.leader, now.leader_epoch)
        and former.replicas == now.replicas
        and former.leader_recovery_state == now.leader_recovery_state
        and all(member in now.isr for member in former.isr)
        and len(now.isr) > len(former.isr) > 0
    )


def _numbers(members: tuple[int, ...] | list[int]) -> str:
    return ",".join(str(each) for each in sorted(members))


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
