"""Clusters with transactional clients under faults, and the promises that must hold.

    python -m tests.simulation.transactional_run [--first SEED] [--seeds N] [--seconds S]

Faults are kills, power losses, restarts, pauses and cut links. A node crashes only while all ISRs
are complete: two crashes in a row may take the last replicas that min ISR promises, and with an
unclean election markers may be lost. Afterwards everything heals, the clients stop, and every
promise of `problems` must hold.
"""

import argparse
import logging
import sys
import time
from collections import Counter
from dataclasses import dataclass, field

from minikafka.common.ids import TopicPartition
from minikafka.common.internal_topics import OFFSETS_TOPIC
from minikafka.coordinator.partitioning import partition_of
from minikafka.messages.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic
from minikafka.metadata.features import DEFAULT_LEVELS, TRANSACTION_VERSION
from minikafka.records.reader import end_marker, read_batch
from minikafka.records.scan import split_batches
from minikafka.sim.drive.committed_reader import READ_COMMITTED, committed_values, end_of
from minikafka.sim.drive.transactional_clients import TransactionalClient
from minikafka.sim.drive.transform_loop import TransformLoop
from minikafka.sim.drive.workload import ClientConnections
from minikafka.sim.world.sim_cluster import BROKER_PORT, SimCluster, host
from minikafka.sim.world.violation import Violation
from minikafka.sim.world.world import US_PER_MS, World
from tests.worlds.sim_world import batch, create_topic, leader_client, produce_records, registration

BROKERS = 3
INPUTS = 120
HEAL_MS = 120_000
GIVEN = {
    "transaction.state.log.num.partitions": "2",
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": "500",
    "broker.session.timeout.ms": "3000",
    "broker.heartbeat.interval.ms": "500",
    "replica.lag.time.max.ms": "3000",
    "request.timeout.ms": "3000",
}
FAULTS = ("kill", "kill", "power", "restart", "pause", "cut", "cut", "isolate")


@dataclass
class Run:
    """One cluster with its clients. `version` is the transaction version of the cluster."""

    seed: int
    seconds: int
    version: int = 0
    faults: Counter = field(default_factory=Counter)
    clients: list = field(default_factory=list)
    stable: dict = field(default_factory=dict)
    is_over: bool = False

    def __post_init__(self):
        self.world = World(self.seed)
        self.rng = self.world.rng("transactional run")
        self.version = self.rng.choice((1, 2, 2))
        levels = {**DEFAULT_LEVELS, TRANSACTION_VERSION: self.version}
        self.cluster = SimCluster(
            world=self.world, brokers=BROKERS, given=GIVEN, levels=levels, separate_controller=True
        )
        self.cluster.on_step = self.stepped
        self.partitions = [TopicPartition("t", index) for index in range(3)]
        self.outputs = [TopicPartition("out", index) for index in range(2)]

    # The run

    def start(self):
        self.cluster.start()
        everywhere = [1, 2, 3]
        for name, count in (("t", 3), ("out", 2), ("in", 2), ("__consumer_offsets", 2)):
            config = {"min.insync.replicas": "2"}
            replicas = [everywhere[index:] + everywhere[:index] for index in range(count)]
            create_topic(self.cluster, name, replicas=replicas, config=config)
        for index in range(2):
            values = [f"in{index}.{number}".encode() for number in range(INPUTS)]
            client = leader_client(self.cluster, "in", index)
            produce_records(client, "in", batch(*values), partition=index)
        for number in range(2):
            self.add_client(f"p{number}", f"id{number}")
        self.add_client("z1", "zombie")
        self.world.after(self.rng.randint(500, 5_000) * US_PER_MS, self.add_zombie)
        self.add_client("d", "dies", dies_at=self.rng.randint(2, 6))
        self.add_loop("l1")
        self.world.after(self.rng.randint(1_000, 8_000) * US_PER_MS, lambda: self.add_loop("l2"))

    def add_zombie(self):
        if not self.is_over:
            self.add_client("z2", "zombie")

    def add_client(self, name, transactional_id, **more):
        client = TransactionalClient(
            connections=self.connections(name), name=name, transactional_id=transactional_id,
            partitions=self.partitions, version=self.version,
            timeout_ms=self.rng.choice((2_000, 4_000)), **more,
        )  # fmt: skip
        self.clients.append(client)
        client.start()

    def add_loop(self, name):
        if self.is_over:
            return
        loop = TransformLoop(
            connections=self.connections(name), name=name, transactional_id="loop",
            partitions=self.outputs, version=self.version, timeout_ms=3_000,
            is_deposed=self.is_deposed,
        )  # fmt: skip
        self.clients.append(loop)
        loop.start()

    def is_deposed(self, address):
        """True unless the broker leads the partition of the group of the transform loops."""
        leader = registration(self.cluster, OFFSETS_TOPIC, partition_of("loop", 2)).leader
        return host(leader) != address[0]

    def connections(self, name):
        bootstrap = [(host(node_id), BROKER_PORT) for node_id in self.cluster.broker_ids]
        return ClientConnections(
            self.world, self.cluster.network, name, bootstrap, self.world.rng(name)
        )

    def run(self):
        """Play the faults, heal, and return the problems that are left."""
        self.start()
        self.next_fault()
        self.world.run(self.seconds * 1000)
        self.is_over = True
        self.heal()
        self.world.run(5_000)
        for client in self.clients:
            client.running = False
        self.world.run_until(lambda: not self.open_transactions(), HEAL_MS, "no open transaction")
        return problems(self)

    # Faults

    def next_fault(self):
        delay_ms = self.rng.choice((200, 700, 1_500, 3_000))
        self.world.after(self.rng.randint(1, delay_ms) * US_PER_MS, self.inject)

    def inject(self):
        if self.is_over:
            return
        self.next_fault()
        what = self.rng.choice(FAULTS)
        number = self.rng.choice(list(self.cluster.broker_ids))
        node = self.cluster.nodes[number]
        length_us = self.rng.choice((100, 600, 2_000, 5_000)) * US_PER_MS
        brokers = [self.cluster.nodes[each] for each in self.cluster.broker_ids]
        if what in ("kill", "power", "restart"):
            if not (all(each.started for each in brokers) and self.all_in_sync()):
                return
            {"kill": node.kill, "power": node.lose_power, "restart": node.shut_down}[what]()
            self.world.after(length_us, lambda: self.start_again(node))
        elif what == "pause":
            if not node.started:
                return
            node.pause()
            self.world.after(length_us, node.resume)
        else:
            others = [host(each) for each in (*self.cluster.broker_ids, 100) if each != number]
            targets = others if what == "isolate" else [self.rng.choice(others)]
            for target in targets:
                self.cluster.network.cut(node.host, target)
            self.world.after(length_us, lambda: self.uncut(node.host, targets))
        self.faults[what] += 1

    def uncut(self, source, targets):
        for target in targets:
            if not self.is_over:
                self.cluster.network.undo_cut(source, target)

    def start_again(self, node):
        if node.alive:
            # Its controlled shutdown is not over.
            self.world.after(200 * US_PER_MS, lambda: self.start_again(node))
        else:
            node.start()

    def heal(self):
        self.cluster.network.heal_all()
        nodes = [self.cluster.nodes[each] for each in self.cluster.broker_ids]
        for node in nodes:
            node.resume()
        self.world.run_until(lambda: all(node.started for node in nodes), HEAL_MS, "all serve")
        self.world.run_until(self.all_in_sync, HEAL_MS, "all replicas are in sync")

    def all_in_sync(self):
        """True if every partition of every topic has all replicas in its ISR."""
        image = self.cluster.nodes[self.cluster.controller_id].node.loader.image
        return all(
            len(partition.isr) == BROKERS
            for topic in image.topics.values()
            for partition in topic.partitions.values()
        )

    # Checks after each step

    def stepped(self, node):
        """The last stable offset is below the high watermark and all open transactions.

        No leader moves it back.
        """
        running = node.node
        if running is None or running.broker is None:
            return
        for where in (*self.partitions, *self.outputs):
            partition = running.broker.replicas.partitions.get(where)
            if partition is None or not partition.is_leader:
                continue
            log = partition.log
            stable = log.last_stable_offset
            unended = min(log.producers.ongoing.values(), default=log.log_end_offset)
            key = (where, node.config.node_id, node.starts, partition.leader_epoch)
            if not self.stable.get(key, 0) <= stable <= min(log.high_watermark, unended):
                raise Violation(
                    f"StableOffset: {where} on {node.host}: {stable}, was {self.stable.get(key)}, "
                    f"high watermark {log.high_watermark}, first open transaction {unended}"
                )
            self.stable[key] = stable

    def leader_log(self, where):
        leader = registration(self.cluster, where.topic, where.partition).leader
        node = self.cluster.nodes[leader].node
        return node.broker.replicas.get(where).log

    def open_transactions(self):
        return [
            (where, producer_id)
            for where in (*self.partitions, *self.outputs)
            for producer_id in self.leader_log(where).producers.ongoing
        ]


def batches_of(run, where):
    """The batches of the leader's log."""
    log = run.leader_log(where)
    offset, found = log.log_start_offset, []
    while offset < log.log_end_offset:
        read = log.read(
            offset, 1 << 20, upper_bound_offset=log.log_end_offset, min_one_message=True
        )
        data = read.slice.read()
        for position, header in split_batches(data):
            found.append((header, list(read_batch(data, position, header))))
            offset = header.next_offset
    return found


def visible_by_markers(batches):
    """The values of committed transactions in a log, by its markers alone."""
    visible, pending = [], {}
    for header, records in batches:
        if not header.is_control:
            pending.setdefault(header.producer_id, []).extend(
                (record.offset, bytes(record.value).decode()) for record in records
            )
            continue
        marker = end_marker(records[0])
        values = pending.pop(header.producer_id, [])
        if marker is not None and marker.is_commit:
            visible += values
    return [value for _, value in sorted(visible)]


def visible_to_readers(run, where):
    """The values that a read_committed consumer keeps, with the aborted lists of the leader."""
    client = leader_client(run.cluster, where.topic, where.partition)
    offset, visible = 0, []
    while True:
        wanted = FetchPartition(
            partition=where.partition, fetch_offset=offset, partition_max_bytes=700,
            current_leader_epoch=-1,
        )  # fmt: skip
        request = FetchRequest(
            topics=[FetchTopic(topic=where.topic, partitions=[wanted])], max_wait_ms=0,
            min_bytes=0, max_bytes=700, session_epoch=-1, isolation_level=READ_COMMITTED,
        )  # fmt: skip
        (answer,) = client.ask(request, FetchResponse, version=11).responses[0].partitions
        visible += [each.value for each in committed_values(where, offset, answer)]
        ended = end_of(answer)
        if ended <= offset:
            return visible
        offset = ended


def problems(run):
    """A line for each promise that does not hold."""
    found = []
    visible, everywhere = {}, Counter()
    for where in (*run.partitions, *run.outputs):
        by_markers = visible_by_markers(batches_of(run, where))
        read = visible_to_readers(run, where)
        if by_markers != read:
            found.append(f"AbortedIndex: {where}: readers see {read}, markers say {by_markers}")
        visible[where] = read
        everywhere.update((where, value) for value in read)
    found += [f"Duplicate: {at}" for at, count in everywhere.items() if count > 1]
    for client in run.clients:
        is_loop = isinstance(client, TransformLoop)
        for transaction in client.transactions:
            found += _judge(transaction, visible, is_loop=is_loop)
    for index, where in enumerate(run.outputs):
        wanted = [f"in{index}.{number}" for number in range(INPUTS)]
        if visible[where] != wanted[: len(visible[where])]:
            found.append(f"OffsetsWithOutputs: {where}: {visible[where]}")
    return found


def _judge(transaction, visible, *, is_loop):
    """Whole or not at all, as its outcome says. Values of a loop are not its own."""
    seen = {
        where: [value for value in values if value in visible[where]]
        for where, values in transaction.values.items()
    }
    if is_loop:
        is_lost = transaction.outcome == "commit" and transaction.is_acknowledged and (
            seen != transaction.values
        )  # fmt: skip
        return [f"EndTxnCommit: {transaction}, visible {seen}"] if is_lost else []
    is_whole = seen == transaction.values
    is_absent = not any(seen.values())
    if transaction.outcome == "commit" and transaction.is_acknowledged and not is_whole:
        return [f"EndTxnCommit: {transaction}, visible {seen}"]
    if transaction.outcome != "commit" and not is_absent:
        return [f"AbortedNeverRead: {transaction}, visible {seen}"]
    if not (is_whole or is_absent):
        return [f"TransactionIsWhole: {transaction}, visible {seen}"]
    orders = [[visible[where].index(value) for value in values] for where, values in seen.items()]
    if any(order != sorted(order) for order in orders):
        return [f"Order: {transaction}: {orders}"]
    return []


def main():
    """Run seeds, and print a line for each that breaks a promise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--seconds", type=int, default=30)
    args = parser.parse_args()
    logging.disable(logging.CRITICAL)
    totals, broken = Counter(), 0
    for seed in range(args.first, args.first + args.seeds):
        begun_s = time.monotonic()
        run = Run(seed, args.seconds)
        try:
            found = run.run()
        except Exception as error:
            found = [f"{type(error).__name__}: {error}"]
        broken += bool(found)
        totals.update(run.faults)
        for client in run.clients:
            totals.update(client.counts)
        for line in found[:5]:
            print(f"seed {seed}: {line[:600]}", flush=True)
        print(f"seed {seed}: TV{run.version}, {len(found)} problems, "
              f"{time.monotonic() - begun_s:.1f} s", flush=True)  # fmt: skip
    print(dict(sorted(totals.items())))
    print(f"{args.seeds} seeds, {broken} broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
