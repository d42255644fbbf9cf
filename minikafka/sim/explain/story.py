"""The story of a run that breaks a rule.

It lists leaders, acknowledged records and the replicas that held them, faults, restarts with the
recovered logs, the broken rule, and the acknowledged records that are lost. It only observes, as a
recorder does, and does not change the run. The holders of records are found in the logs of the
nodes.
"""

import re
from dataclasses import dataclass, field

from minikafka.common.ids import TopicPartition
from minikafka.history.operations import Written
from minikafka.log.unified_log import UnifiedLog
from minikafka.metadata.partition_registration import PartitionRegistration
from minikafka.replica.partition import Partition
from minikafka.sim.checks.log_batches import epoch_at
from minikafka.sim.drive.run_clients import TOPIC
from minikafka.sim.drive.simulation import Simulation
from minikafka.sim.explain.story_words import change, meaning, names, offsets
from minikafka.sim.world.sim_node import SimNode

_US_PER_S = 1_000_000
_MS_PER_S = 1_000
_PARTITION = re.compile(rf"\b{TOPIC}-(\d+)\b")
_BACK = ("starts", "serves clients", "is resumed")


@dataclass(slots=True)
class AcknowledgedRange:
    """Consecutive records that one leader acknowledged with the same acks.

    `count` records from `first` to `last`: other records may lie between them.
    """

    where: TopicPartition
    acks: int
    leader: int
    epoch: int
    first: int
    last: int
    since_us: int
    until_us: int
    count: int = 1
    holders: tuple[int, ...] = ()
    """The nodes that held the last record at the next event."""

    def __str__(self) -> str:
        """The records and their acks."""
        acks = "all" if self.acks < 0 else self.acks
        some = "" if self.count == self.last - self.first + 1 else f"{self.count} records at "
        return f"{some}{offsets(self.first, self.last)} of {self.where} with acks={acks}"


@dataclass(slots=True)
class Story:
    """Pass `add_line` to a simulation, call `follow` before the run, and read `lines` after it."""

    acknowledged: list[AcknowledgedRange] = field(default_factory=list)
    _lines: list[tuple[TopicPartition | None, str]] = field(default_factory=list)
    """Sentences, and the partition of each."""
    _about: TopicPartition | None = None
    """The partition of the broken rule."""
    _simulation: Simulation | None = None
    _known: dict[TopicPartition, PartitionRegistration] = field(default_factory=dict)
    _open: dict[tuple[TopicPartition, int], AcknowledgedRange] = field(default_factory=dict)
    _pending: dict[TopicPartition, list[Written]] = field(default_factory=dict)
    _read: dict[TopicPartition, int] = field(default_factory=dict)
    _ends: dict[tuple[int, TopicPartition], tuple[int, int]] = field(default_factory=dict)
    """By replica: the start of its process, and its log end offset, at the last check."""
    _fates: dict[int, str] = field(default_factory=dict)
    """The last event of each node."""
    _repaired_us: int | None = None
    """The end of the faults."""
    _last_change_us: dict[TopicPartition, int] = field(default_factory=dict)
    """The last sentence about each partition before the end of the faults."""
    moment_us: int | None = None
    """The estimated time of the violation. One that is found after the faults happened before: at
    the last acknowledgement of a lost record, or else at the last change of the partition."""

    @property
    def lines(self) -> list[str]:
        """The story, without partitions in which no rule was broken."""
        return [text for where, text in self._lines if where in (None, self._about or where)]

    def follow(self, simulation: Simulation) -> None:
        """Start to observe a simulation."""
        self._simulation = simulation
        cluster = simulation.cluster
        checks = cluster.on_step

        def stepped(node: SimNode) -> None:
            self._observe(node)
            checks(node)

        cluster.on_step = stepped

    def add_line(self, line: str) -> None:
        """Add a line of the transcript."""
        _, who, what = line.split(None, 2)
        if who == "checker":
            self._end(what)
        elif who.startswith(f"{TOPIC}-") or not self._known:
            return
        elif who[1:].isdecimal():
            if what not in _BACK:
                self._fates[int(who[1:])] = f"{what} at {self._time(self._now_us)}"
            self._say(f"{who} {what}")
        elif who == "network":
            self._say(f"{what}{self._how_long()}")
        elif who == "healing":
            self._repaired_us = self._now_us
            self._say(f"{who}: {what}")
        else:
            self._say(f"{who}: {what}")

    def _how_long(self) -> str:
        """Return the planned duration of the present fault, as text."""
        assert self._simulation is not None
        for incident in self._simulation.plan.faults.incidents:
            if incident.at_ms == self._simulation.world.now_ms and incident.for_ms:
                return f", for {incident.for_ms / _MS_PER_S:g} s"
        return ""

    # Sentences

    @property
    def _now_us(self) -> int:
        assert self._simulation is not None
        return self._simulation.world.now_us

    @staticmethod
    def _time(at_us: int) -> str:
        return f"{at_us / _US_PER_S:.3f} s"

    def _say(self, what: str, about: TopicPartition | None = None) -> None:
        """Add a sentence, after those about earlier acknowledgements."""
        self._close()
        if about is not None and self._repaired_us is None:
            self._last_change_us[about] = self._now_us
        self._lines.append((about, f"{self._time(self._now_us):>11}  {what}"))

    def _add(self, what: str) -> None:
        """Add a sentence of the end."""
        self._lines.append((None, what))

    def _close(self) -> None:
        """Add sentences about new acknowledgements and the present holders."""
        done, self._open = list(self._open.values()), {}
        for each in done:
            each.holders = self._holders(each.where, each.last, each.epoch)
            self.acknowledged.append(each)
            until = f" until {self._time(each.until_us)}" if each.until_us > each.since_us else ""
            told = (
                f"{self._time(each.since_us):>11}  n{each.leader} acknowledges {each}{until}; "
                f"held by {names(each.holders)}"
            )
            self._lines.append((each.where, told))

    # Observation

    def _observe(self, node: SimNode) -> None:
        running = node.node
        if running is None:
            return
        if running.controller is not None:
            self._observe_partitions(node)
        if running.broker is not None and all(x.broken is None for x in node.disks.values()):
            for where in list(self._known):
                log = running.broker.logs.get(where)
                if log is not None:
                    self._observe_log(node, where, log)
        self._observe_clients()

    def _observe_partitions(self, node: SimNode) -> None:
        assert node.node is not None
        topic = node.node.loader.image.topic(TOPIC)
        if topic is None:
            return
        for index, now in topic.partitions.items():
            where = TopicPartition(TOPIC, index)
            former = self._known.get(where)
            if former == now:
                continue
            if former is not None and now.partition_epoch < former.partition_epoch:
                # The controller is still reading its log.
                continue
            self._known[where] = now
            what = change(former, now)
            if what:
                self._say(f"{where}: {what}", where)

    def _observe_log(self, node: SimNode, where: TopicPartition, log: UnifiedLog) -> None:
        key = (node.config.node_id, where)
        life, end = self._ends.get(key, (node.starts, 0))
        now = log.log_end_offset
        self._ends[key] = (node.starts, now)
        host, at = node.host, self._time(self._now_us)
        if life != node.starts and now < end:
            self._fates[key[0]] = f"came back at {at} with {now} of {end} records"
            self._say(f"{host} has {now} records of {where} and has lost {end - now}", where)
        elif life != node.starts:
            self._say(f"{host} has {now} records of {where} and has lost none", where)
        elif now < end:
            self._fates[key[0]] = f"truncated its log at {at} from {end} to {now} records"
            self._say(f"{host} truncates its log of {where} from {end} to {now} records", where)

    def _observe_clients(self) -> None:
        assert self._simulation is not None
        for where, written in self._simulation.history.writes.items():
            pending = self._pending.setdefault(where, [])
            pending += written[self._read.get(where, 0) :]
            self._read[where] = len(written)
            if any(each.offset is not None or each.refused for each in pending):
                for each in pending:
                    if each.offset is not None:
                        self._was_acknowledged(where, each, each.offset)
                self._pending[where] = [
                    each for each in pending if each.offset is None and not each.refused
                ]

    def _was_acknowledged(self, where: TopicPartition, written: Written, offset: int) -> None:
        leader, epoch = self._leader_of(where, written, offset)
        run = self._open.get((where, written.acks))
        if run is not None and run.leader == leader and run.epoch == epoch:
            run.first, run.last = min(run.first, offset), max(run.last, offset)
            run.until_us = self._now_us
            run.count += 1
            return
        if run is not None:
            self._close()
        self._open[where, written.acks] = AcknowledgedRange(
            where, written.acks, leader, epoch, offset, offset, self._now_us, self._now_us
        )

    def _leader_of(self, where: TopicPartition, written: Written, offset: int) -> tuple[int, int]:
        """Return the broker that acknowledged a record, and the leader epoch of the record.

        The controller may have elected another leader by then. If the broker has no log any more,
        the epoch is that of the controller.
        """
        leader = int(written.by.removeprefix("n"))
        log = self._log(leader, where)
        return leader, self._known[where].leader_epoch if log is None else epoch_at(log, offset)

    def _log(self, node_id: int, where: TopicPartition) -> UnifiedLog | None:
        assert self._simulation is not None
        node = self._simulation.cluster.nodes.get(node_id)
        if node is None or node.node is None or node.node.broker is None:
            return None
        return node.node.broker.logs.get(where)

    def _holders(self, where: TopicPartition, offset: int, epoch: int) -> tuple[int, ...]:
        """Return the running nodes that have the record of this epoch at an offset.

        If they have it in this epoch, all records before it are the same (KIP-101).
        """
        assert self._simulation is not None
        found = []
        for node_id in self._simulation.cluster.nodes:
            log = self._log(node_id, where)
            if log is not None and log.log_end_offset > offset and epoch_at(log, offset) == epoch:
                found.append(node_id)
        return tuple(found)

    # The end

    def _end(self, violation: str) -> None:
        self._close()
        self._add("")
        self._add(f"At {self._time(self._now_us)} a rule is broken: {violation}")
        if rule := meaning(violation):
            self._add(f"The rule: {rule}.")
        named = list(dict.fromkeys(_PARTITION.findall(violation)))
        if len(named) == 1:
            self._about = TopicPartition(TOPIC, int(named[0]))
        self.moment_us = self._now_us
        if self._repaired_us is not None:
            told = [
                at_us
                for where, at_us in self._last_change_us.items()
                if self._about in (None, where)
            ]
            self.moment_us = max(told, default=self._repaired_us)
        for where in self._known:
            if self._about in (None, where):
                self._add_state(where)
                self._add_lost_records(where)

    def _add_state(self, where: TopicPartition) -> None:
        assert self._simulation is not None
        now = self._known[where]
        self._add(f"{where} then: {change(None, now)}.")
        for node_id in sorted({*now.replicas, *now.isr}):
            log = self._log(node_id, where)
            if log is not None:
                partition = self._partition(node_id, where)
                role = "leads" if partition is not None and partition.is_leader else "follows"
                epoch = -1 if partition is None else partition.leader_epoch
                self._add(
                    f"  n{node_id} {role} in epoch {epoch}: {log.log_end_offset} records, high "
                    f"watermark {log.high_watermark}"
                )
            else:
                _, end = self._ends.get((node_id, where), (0, 0))
                fate = self._fates.get(node_id, "does not run")
                self._add(f"  n{node_id} {fate}; it had {end} records")

    def _partition(self, node_id: int, where: TopicPartition) -> Partition | None:
        assert self._simulation is not None
        node = self._simulation.cluster.nodes[node_id].node
        if node is None or node.broker is None:
            return None
        return node.broker.replicas.partitions.get(where)

    def _add_lost_records(self, where: TopicPartition) -> None:
        """Add the acknowledged records that are lost, and the nodes that held them."""
        leader = self._known[where].leader
        for each in self.acknowledged:
            if each.where != where or each.acks >= 0:
                continue
            held = self._holders(where, each.last, each.epoch)
            if leader in held or (leader < 0 and held):
                continue
            if self._repaired_us is not None:
                self.moment_us = each.until_us
            self._add(
                f"  {each}, acknowledged at {self._time(each.until_us)} by n{each.leader} in epoch "
                f"{each.epoch} and held by {names(each.holders)}: held now by {names(held)}"
            )
            for node_id in each.holders:
                if node_id not in held and node_id in self._fates:
                    self._add(f"    n{node_id} {self._fates[node_id]}")
