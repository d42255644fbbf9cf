"""Odd frames for real nodes, with an honest idempotent producer beside them.

Senders and the producer are processes of their own. Their frames are drawn from the seed, but which
values they learn depends on when answers come; only the in-process fuzzer is deterministic.
"""

import os
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

from confluent_kafka import Consumer, TopicPartition

from minikafka.admin.client import AdminClient, AdminError
from minikafka.admin.topics import create_topic, delete_topics, list_topics
from minikafka.common.errors import ErrorCode
from minikafka.messages.find_coordinator import FindCoordinatorRequest
from minikafka.messages.metadata import MetadataRequest, MetadataRequestTopic
from minikafka.testing import Cluster
from tests.fuzz.answers import FaultFoundError
from tests.fuzz.honest_producer import PATIENCE_S, HonestProducer
from tests.fuzz.honest_producer import TOPIC as KEPT
from tests.fuzz.sender import Places, Plan, SenderProcess

NODES = 3
TOPICS = ("t", "u")
GROUPS = ("g", "h")
CONTROLLER_PORT_OFFSET = 100
MAX_MORE_MIB = 512
"""The memory growth allowed when all clients are gone; most of it is fragmentation."""
_TURN_S = 0.25
_PROGRESS_EVERY_S = 10
_IDLE_S = 30
_PARTITIONS = 2
_REPLICAS = [[2, 3, 1], [2, 1, 3]]
"""One broker leads what frames name: a request with several partitions gets further."""
_KEEP = {"retention.ms": "-1", "retention.bytes": "-1"}
_CONFIG = {
    "auto.create.topics.enable": "false",
    "group.max.session.timeout.ms": "30000",
    "min.insync.replicas": "2",
    # A million frames must fit on a disk.
    "log.segment.bytes": str(1 << 20),
    "log.retention.bytes": str(4 << 20),
    "log.retention.check.interval.ms": "5000",
    "log.initial.task.delay.ms": "5000",
    "log.segment.delete.delay.ms": "1000",
    "metadata.log.segment.bytes": str(8 << 20),
    "metadata.log.max.record.bytes.between.snapshots": str(8 << 20),
    "metadata.max.retention.bytes": str(32 << 20),
}


class Nodes:
    """The processes of a cluster: they must live, and log no error."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.pids = {node: cluster.pid(node) for node in range(1, NODES + 1)}
        self._read_bytes = dict.fromkeys(self.pids, 0)

    def live(self):
        """True if all processes of the start live."""
        return all(self._lives(node) for node in self.pids)

    def _lives(self, node):
        return _lives(self.pids[node]) and self.cluster.pid(node) == self.pids[node]

    def check(self):
        """Compare the processes with those of the start, and read what they logged meanwhile."""
        for node in self.pids:
            if not self._lives(node):
                raise FaultFoundError(f"node {node} ended: {self.cluster.log_text(node)[-3000:]}")
            with (self.cluster.directory / f"node-{node}.log").open("rb") as log:
                log.seek(self._read_bytes[node])
                # The last line may be half written.
                text = log.read().rpartition(b"\n")[0].decode(errors="replace")
            self._read_bytes[node] += len(text.encode(errors="replace"))
            for word in ("Traceback", " ERROR "):
                if (at := text.find(word)) >= 0:
                    found = text[max(at - 500, 0) : at + 4000]
                    raise FaultFoundError(f"node {node} logged: {found}")

    def resident_mib(self):
        """The resident memory of each node."""
        return [resident_kib(pid) >> 10 for pid in self.pids.values()]

    def processor_s(self):
        """The processor time of all nodes."""
        return sum(_processor_s(pid) for pid in self.pids.values())

    def disk_mib(self):
        """What all nodes have on disk."""
        total = 0
        for folder, _, names in os.walk(self.cluster.directory):
            for name in names:
                try:
                    total += (Path(folder) / name).stat().st_blocks * 512
                except FileNotFoundError:
                    # Retention removes files meanwhile.
                    continue
        return total >> 20


class Attack:
    """Senders and the honest producer, and the rounds in which they are updated and polled."""

    def __init__(self, cluster, stack):
        self.cluster = cluster
        self.nodes = Nodes(cluster)
        servers = cluster.bootstrap_servers
        self.client = stack.enter_context(AdminClient(servers, client_id="check"))
        self.places = Places(
            tuple(cluster.port(node) for node in range(1, NODES + 1)),
            cluster.port(1) + CONTROLLER_PORT_OFFSET,
            topics=TOPICS,
        )
        create_topic(
            self.client, KEPT, partitions=_PARTITIONS, replication_factor=NODES, configs=_KEEP
        )
        self.look()
        self.producer = HonestProducer(servers)
        stack.callback(self.producer.end)
        self.senders = []
        self.faults = []
        self.begun_s = self.printed_s = time.monotonic()
        self.printed_frames = 0

    def run(self, seed, frames, senders, connections, stack, *, verbose, keep_going):
        """Send all frames; faults that nodes log are collected if `keep_going`."""
        self.producer.wait_until_first()
        self.nodes.check()
        for number in range(senders):
            plan = Plan(
                f"fuzz/processes/{seed}/{number}",
                frames // senders + (number < frames % senders), connections, self.places,
            )  # fmt: skip
            self.senders.append(SenderProcess(plan))
            stack.callback(self.senders[-1].end)
        self.begun_s = self.printed_s = time.monotonic()
        while not all(sender.has_ended for sender in self.senders):
            self.look()
            for sender in self.senders:
                sender.read()
                sender.tell(self.places)
            self.producer.read()
            now_s = time.monotonic()
            is_first = not self.printed_frames and self.counts()["frames"]
            if is_first or now_s - self.printed_s >= _PROGRESS_EVERY_S:
                self._check_nodes(keep_going)
                if verbose:
                    print(self._progress(now_s), flush=True)
            time.sleep(_TURN_S)

    def _check_nodes(self, keep_going):
        try:
            self.nodes.check()
        except FaultFoundError as fault:
            if not keep_going or not self.nodes.live():
                raise
            print(fault, flush=True)
            self.faults.append(fault)

    def counts(self):
        """The sum of the counts of all senders."""
        total = Counter()
        for sender in self.senders:
            total.update(sender.counts)
        return total

    def look(self):
        """Find leaders, coordinators and ids; create the topics that are not there."""
        try:
            wanted = [MetadataRequestTopic(name=name) for name in (*TOPICS, KEPT)]
            request = MetadataRequest(topics=wanted, allow_auto_topic_creation=False)
            found = {topic.name: topic for topic in self.client.ask(request).topics}
            missing = [
                name for name in TOPICS if found[name].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            ]  # fmt: skip
            for name in missing:
                create_topic(self.client, name, assignment=_REPLICAS)
            request = FindCoordinatorRequest(key_type=0, coordinator_keys=list(GROUPS))
            coordinators = self.client.ask(request).coordinators
        except AdminError:
            # A frame may have created the topic meanwhile, or it moves: the next turn knows.
            return
        leaders = {each.leader_id for name in TOPICS for each in found[name].partitions[:1]}
        hosts = {each.node_id for each in coordinators}
        ids = [found[name].topic_id for name in TOPICS if any(found[name].topic_id)]
        self.places = self.places._replace(
            leaders=self._ports(leaders),
            coordinators=self._ports(hosts),
            topic_ids=tuple(ids),
            kept_id=found[KEPT].topic_id,
        )

    def _ports(self, nodes):
        return tuple(self.cluster.port(node) for node in sorted(nodes) if node > 0)

    def _progress(self, now_s):
        counts = self.counts()
        rate = (counts["frames"] - self.printed_frames) / (now_s - self.printed_s)
        self.printed_s, self.printed_frames = now_s, counts["frames"]
        resident = "/".join(map(str, self.nodes.resident_mib()))
        return (
            f"{now_s - self.begun_s:6.0f} s: {counts['frames']:,} frames, {rate:.0f}/s, "
            f"{counts['answered']:,} answered, {counts['closed']:,} connections closed, "
            f"{counts['accepted batches']:,} batches accepted; "
            f"{len(self.producer.acknowledged):,} records acknowledged, "
            f"{self.producer.taken_recently()}; {resident} MiB, {self.nodes.disk_mib():,} MiB on disk"
        )

    def clean_up(self):
        """Delete all topics but the kept one: what remains is not theirs."""
        names = [each.name for each in list_topics(self.client) if not each.is_internal]
        names = [name for name in names if name != KEPT]
        try:
            if names:
                delete_topics(self.client, names)
        except AdminError as error:
            raise FaultFoundError(f"topics cannot be deleted: {error}") from None


def attack(
    seed,
    frames,
    *,
    senders=1,
    connections=32,
    base_port=0,
    idle_s=_IDLE_S,
    verbose=False,
    keep_going=False,
):
    """Send so many frames to three nodes; returns counts and a text about latencies.

    Raises:
        FaultFoundError: a property does not hold.
    """
    cluster = Cluster(nodes=NODES, config=_CONFIG, base_port=base_port, kafka_defaults=True)
    with cluster, ExitStack() as stack:
        running = Attack(cluster, stack)
        nodes = running.nodes
        before = nodes.resident_mib()
        begun_s = time.monotonic()
        before_s = nodes.processor_s()
        running.run(
            seed, frames, senders, connections, stack, verbose=verbose, keep_going=keep_going
        )
        counts = running.counts()
        counts["seconds"] = round(time.monotonic() - begun_s)
        counts["seconds of the nodes' processor time"] = round(nodes.processor_s() - before_s)
        running.producer.end()
        counts["acknowledged records"] = len(running.producer.acknowledged)
        counts["failed records"] = len(running.producer.failed)
        nodes.check()
        highest = nodes.resident_mib()
        running.clean_up()
        _has_kept(cluster, running.producer)
        time.sleep(idle_s)
        nodes.check()
        after = nodes.resident_mib()
        for node in nodes.pids:
            more = after[node - 1] - before[node - 1]
            counts[f"MiB more on node {node} with clients"] = highest[node - 1] - before[node - 1]
            counts[f"MiB more on node {node} without"] = more
            if more > MAX_MORE_MIB:
                raise FaultFoundError(
                    f"node {node} holds {more} MiB more after all clients are gone, "
                    f"at most {MAX_MORE_MIB} expected"
                )
        if running.faults:
            raise FaultFoundError(f"{len(running.faults)} faults, printed above")
    return counts, f"honest producer: {running.producer.latencies}"


def resident_kib(pid):
    """The resident memory of a process."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    (line,) = [line for line in status.splitlines() if line.startswith("VmRSS:")]
    return int(line.split()[1])


def _lives(pid):
    try:
        return _stat(pid)[0] != "Z"
    except FileNotFoundError:
        return False


def _processor_s(pid):
    user, system = _stat(pid)[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _stat(pid):
    """The fields of a process from its state on: its name may have blanks."""
    return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()


def _has_kept(cluster, producer):
    """Each acknowledged record is there, once."""
    found = Counter(_consumed(cluster.bootstrap_servers))
    lost = [value for value in producer.acknowledged if not found[value]]
    twice = [value for value, count in found.items() if count > 1]
    if lost or twice or not producer.acknowledged:
        raise FaultFoundError(
            f"of {len(producer.acknowledged)} acknowledged records {len(lost)} are lost, "
            f"{len(twice)} are there twice: {lost[:3]} {twice[:3]}"
        )


def _consumed(servers):
    consumer = Consumer(
        {
            "bootstrap.servers": servers, "group.id": "check", "enable.auto.commit": False,
            "enable.partition.eof": True, "auto.offset.reset": "earliest", "log_level": 0,
        }
    )  # fmt: skip
    consumer.assign([TopicPartition(KEPT, partition, 0) for partition in range(_PARTITIONS)])
    open_partitions = set(range(_PARTITIONS))
    end_s = time.monotonic() + PATIENCE_S
    while open_partitions:
        messages = consumer.consume(1_000, timeout=0.5)
        if messages:
            end_s = time.monotonic() + PATIENCE_S
        elif time.monotonic() > end_s:
            raise FaultFoundError(f"no end of {open_partitions} after {PATIENCE_S} s")
        for message in messages:
            if message.error() is None:
                yield int(message.value())
            else:
                open_partitions.discard(message.partition())
    consumer.close()
