"""Measure groups of many members, and storms on them, beside Apache Kafka.

    python -m tools.measure_groups [--kafka FOLDER] [--rounds N] [WORKLOAD ...]

One broker of each kind, in one run, each workload on both in turn. The members are coroutines of
this process, which send raw requests (`tools.group_load`), each on its own connection; `clients`
starts consumers of librdkafka instead. FOLDER has a `kafka-cluster`. The workloads:

- rebalance   99 members have 1,000 partitions, and one more joins: the time until all have the
              epoch of the new targets, and have acknowledged what they have
- heartbeat   heartbeats one after the other in that group: latency, processor time of the broker
- memory      what 1,000 members of one group, on 10 connections, add to the broker: resident
              memory; of a JVM, the heap after a full collection
- storm       2,000 members join at once, of the consumer protocol
- classic     2,000 members join at once, of the classic protocol
- full        2,000 members join, of both protocols, where groups have at most 1,000
- large       a heartbeat with 100,000 topic names, and one with 100,000 owned partitions
- clients     50 librdkafka consumers of the consumer protocol share 200 partitions

Beside each workload another process asks for ApiVersions every 5 ms on a connection of its own: the
longest time to an answer is the longest silence.
"""

import argparse
import asyncio
import os
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import ExitStack
from pathlib import Path
from statistics import median, quantiles
from types import TracebackType
from typing import NamedTuple, Self

from minikafka.admin.client import AdminClient
from minikafka.admin.groups import describe_group
from minikafka.admin.topics import create_topic
from minikafka.bench.processes import cpu_seconds, listeners, resident_mib
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import Uuid
from minikafka.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatRequestTopicPartitions,
)
from minikafka.messages.find_coordinator import FindCoordinatorRequest
from minikafka.testing import Cluster
from minikafka.testing.kafka_nodes import KafkaNodes
from tools import group_load
from tools.group_load import ClassicMember, Connection, ConsumerMember

_PATIENCE_S = 300.0
_STORM = 2000
_HEARTBEATS = 5000
_MANY = 100_000
_FULL = 1000
_CONFIG = {
    "auto.create.topics.enable": "false",
    "group.initial.rebalance.delay.ms": "3000",
    "offsets.topic.num.partitions": "1",
    "offsets.topic.replication.factor": "1",
    "log.flush.interval.messages": "9223372036854775807",
}
_FAST = {
    "group.consumer.min.heartbeat.interval.ms": "500",
    "group.consumer.heartbeat.interval.ms": "500",
    "group.consumer.assignment.interval.ms": "0",
}
_SMALL = {"group.consumer.max.size": str(_FULL), "group.max.size": str(_FULL)}
_PING = """
import sys, time
from minikafka.admin.client import BrokerConnection
from minikafka.messages.api_versions import ApiVersionsRequest
connection = BrokerConnection("127.0.0.1", int(sys.argv[1]), "ping", 300)
request = ApiVersionsRequest(client_software_name="ping", client_software_version="1")
print("ready", flush=True)
longest, stop_s = 0.0, None
import threading
ended = threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
while not ended.is_set():
    started_s = time.perf_counter()
    connection.ask(request)
    longest = max(longest, time.perf_counter() - started_s)
    time.sleep(0.005)
print(longest)
"""


class Broker(NamedTuple):
    """A cluster of one broker."""

    name: str
    port: int
    pid: int

    @property
    def address(self) -> tuple[str, int]:
        """The address of its listener."""
        return ("127.0.0.1", self.port)

    @property
    def servers(self) -> str:
        """The address as clients get it."""
        return f"127.0.0.1:{self.port}"

    def cpu_s(self) -> float:
        """Return the processor time until now."""
        return cpu_seconds(self.pid) or 0.0

    def used_mib(self) -> float:
        """Return the resident memory; of a JVM, the heap that is used after a collection."""
        if self.name == "minikafka":
            return resident_mib(self.pid) or 0.0
        subprocess.run(["jcmd", str(self.pid), "GC.run"], check=True, stdout=subprocess.DEVNULL)
        text = subprocess.run(
            ["jcmd", str(self.pid), "GC.heap_info"], check=True, capture_output=True, text=True
        ).stdout
        words = text.split()
        return int(words[words.index("used") + 1].rstrip("K,")) / 1024


class Watch:
    """Watches a broker while a workload runs: a context manager."""

    def __init__(self, broker: Broker) -> None:
        """Watch this broker."""
        self._broker = broker
        self._peak_mib = 0.0
        self._ended = threading.Event()
        self.stall_ms = 0.0

    def __enter__(self) -> Self:
        self._ping = subprocess.Popen(
            [sys.executable, "-c", _PING, str(self._broker.port)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self._ping.stdout is not None
        self._ping.stdout.readline()
        self._before_mib = resident_mib(self._broker.pid) or 0.0
        self._before_s = self._broker.cpu_s()
        self._thread = threading.Thread(target=self._sample)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()
        self._cpu_s = self._broker.cpu_s() - self._before_s
        out, _err = self._ping.communicate("")
        self.stall_ms = float(out.split()[-1]) * 1000 if out.strip() else float("nan")

    def _sample(self) -> None:
        while not self._ended.wait(0.05):
            self._peak_mib = max(self._peak_mib, resident_mib(self._broker.pid) or 0.0)

    def __str__(self) -> str:
        return (
            f"longest silence {self.stall_ms:,.0f} ms, cpu {self._cpu_s:.2f} s, "
            f"rss {self._before_mib:,.0f} -> {self._peak_mib:,.0f} MiB"
        )


def tell(broker: Broker, what: str, text: object) -> None:
    """Print one line of a result."""
    print(f"{what:12} {broker.name:13} {text}", flush=True)


async def _prepare(broker: Broker, group_id: str, partitions: int) -> str:
    """Create a topic, and wait until the group has a coordinator; return the topic."""
    topic = f"topic-{group_id}"
    with AdminClient(broker.servers, client_id="measure") as client:
        create_topic(client, topic, partitions=partitions, replication_factor=1)
        deadline_s = time.monotonic() + 60
        while True:
            found = client.ask(FindCoordinatorRequest(key_type=0, coordinator_keys=[group_id]))
            if found.coordinators[0].error_code == ErrorCode.NONE:
                break
            if time.monotonic() > deadline_s:
                raise TimeoutError("there is no coordinator")
            await asyncio.sleep(0.2)
    # The coordinator may still load its partition.
    probe = ConsumerMember(await Connection.open(broker.address), f"{group_id}-probe", [topic])
    await probe.join()
    probe.connection.close()
    await asyncio.sleep(1)
    return topic


async def _members(
    broker: Broker, group_id: str, topic: str, count: int, on: int = 0
) -> list[ConsumerMember]:
    """Make members that have not joined yet, on connections of their own, or on fewer."""
    opened = await group_load.connections(broker.address, on or count)
    return [
        ConsumerMember(opened[number % len(opened)], group_id, [topic]) for number in range(count)
    ]


async def _settled_group(
    broker: Broker, group_id: str, count: int, partitions: int, on: int = 0
) -> tuple[str, list[ConsumerMember], list["asyncio.Task[None]"]]:
    topic = await _prepare(broker, group_id, partitions)
    members = await _members(broker, group_id, topic, count, on)
    tasks = [asyncio.create_task(each.live()) for each in members]
    await group_load.until(
        lambda: group_load.is_stable(members, partitions), _PATIENCE_S, "the group is stable"
    )
    return topic, members, tasks


async def rebalance(broker: Broker, group_id: str) -> None:
    """See the module."""
    topic, members, tasks = await _settled_group(broker, group_id, 99, 1000)
    await asyncio.sleep(3)
    (last,) = await _members(broker, group_id, topic, 1)
    everybody = [*members, last]
    with Watch(broker) as watch:
        started_s = time.perf_counter()
        tasks.append(asyncio.create_task(last.live()))
        stable_s = await group_load.until(
            lambda: group_load.is_stable(everybody, 1000), _PATIENCE_S, "all are stable"
        )
    shares = sorted(each.partitions for each in everybody)
    tell(
        broker, "rebalance",
        f"{(stable_s - started_s) * 1000:,.0f} ms, shares {shares[0]} to {shares[-1]}, {watch}",
    )  # fmt: skip
    await _end(everybody, tasks)


async def heartbeat(broker: Broker, group_id: str) -> None:
    """See the module."""
    _, members, tasks = await _settled_group(broker, group_id, 100, 1000)
    await group_load.ended(tasks)
    for _ in range(2):  # The first round lets a JVM compile its code.
        times_s = []
        before_s = broker.cpu_s()
        for number in range(_HEARTBEATS):
            started_s = time.perf_counter()
            assert not await members[number % len(members)].beat()
            times_s.append(time.perf_counter() - started_s)
        cpu_us = (broker.cpu_s() - before_s) / _HEARTBEATS * 1e6
    cuts = quantiles(times_s, n=100)
    tell(
        broker, "heartbeat",
        f"median {median(times_s) * 1e6:,.0f} us, p99 {cuts[98] * 1e6:,.0f} us, "
        f"broker {cpu_us:,.0f} us of processor time",
    )  # fmt: skip
    await _end(members, [])


async def memory(broker: Broker, group_id: str) -> None:
    """See the module."""
    before_mib = broker.used_mib()
    _, members, tasks = await _settled_group(broker, group_id, 1000, 1000, on=10)
    await group_load.ended(tasks)
    added = broker.used_mib() - before_mib
    tell(broker, "memory", f"{added:,.1f} MiB, {added * 1024 / 1000:,.1f} KiB a member")
    await _end(members, [])


async def storm(broker: Broker, group_id: str) -> None:
    """See the module."""
    topic = await _prepare(broker, group_id, _STORM)
    members = await _members(broker, group_id, topic, _STORM)
    with Watch(broker) as watch:
        started_s = time.perf_counter()
        tasks = [asyncio.create_task(each.live()) for each in members]
        joined_s = await group_load.until(
            lambda: all(each.epoch or each.errors for each in members), _PATIENCE_S, "all joined"
        )
        stable_s = await group_load.until(
            lambda: group_load.is_stable(members, _STORM), _PATIENCE_S, "the group is stable"
        )
    with AdminClient(broker.servers, client_id="measure") as client:
        group = describe_group(client, group_id)
    tell(
        broker, "storm",
        f"all answered {joined_s - started_s:.2f} s, stable {stable_s - started_s:.2f} s, "
        f"errors: {group_load.errors_of(members)}; described {group.state} with "
        f"{len(group.members)} members; {watch}",
    )  # fmt: skip
    await _end(members, tasks)


async def classic(broker: Broker, group_id: str) -> None:
    """See the module."""
    await _prepare(broker, group_id, 1)
    opened = await group_load.connections(broker.address, _STORM)
    members = [ClassicMember(each, group_id) for each in opened]
    with Watch(broker) as watch:
        started_s = time.perf_counter()
        await asyncio.wait_for(asyncio.gather(*(each.join() for each in members)), _PATIENCE_S)
        stable_s = time.perf_counter()
    generations = {each.generation for each in members}
    tell(
        broker, "classic",
        f"stable {stable_s - started_s:.2f} s, generations {sorted(generations)}, "
        f"errors: {group_load.errors_of(members)}; {watch}",
    )  # fmt: skip
    for each in opened:
        each.close()


async def full(broker: Broker, group_id: str) -> None:
    """See the module."""
    topic = await _prepare(broker, group_id, _FULL)
    members = await _members(broker, group_id, topic, _STORM)
    with Watch(broker) as watch:
        await asyncio.gather(*(each.beat() for each in members))
    joined = sum(bool(each.epoch) for each in members)
    tell(broker, "full", f"{joined} joined, errors: {group_load.errors_of(members)}; {watch}")
    await _end(members, [])
    opened = await group_load.connections(broker.address, _STORM)
    classics = [ClassicMember(each, f"{group_id}-classic") for each in opened]
    with Watch(broker) as watch:
        await asyncio.wait_for(asyncio.gather(*(each.join() for each in classics)), _PATIENCE_S)
    joined = sum(each.generation > 0 for each in classics)
    text = f"{joined} joined, errors: {group_load.errors_of(classics)}; {watch}"
    tell(broker, "full classic", text)
    for connection in opened:
        connection.close()


async def large(broker: Broker, group_id: str) -> None:
    """See the module."""
    topic = await _prepare(broker, group_id, 10)
    for size in (5, 30):
        (member,) = await _members(broker, f"{group_id}-{size}", topic, 1)
        member.topics = [topic, *(f"{number:0{size}}" for number in range(_MANY))]
        await _tell_large(broker, f"{_MANY} names of {size}", member.beat)
        if member.epoch:
            await _tell_large(broker, "the next heartbeat", member.beat)
            (second,) = await _members(broker, f"{group_id}-{size}", topic, 1)
            await _tell_large(broker, "a second member", second.beat)
            await _end([second], [])
        await _end([member], [])
    (member,) = await _members(broker, f"{group_id}-owner", topic, 1)
    await member.beat()
    (topic_id,) = member.owned
    one_topic = {topic_id: tuple(range(_MANY))}
    many_topics = {Uuid.of(1, number): (0,) for number in range(_MANY)}
    for what, owned in (("1 topic", one_topic), ("as many topics", many_topics)):

        async def send(owned: Mapping[Uuid, tuple[int, ...]] = owned) -> int:
            request = ConsumerGroupHeartbeatRequest(member.group_id, member.member_id, member.epoch)
            request.rebalance_timeout_ms = group_load.REBALANCE_TIMEOUT_MS
            request.subscribed_topic_names = [topic]
            request.topic_partitions = [
                ConsumerGroupHeartbeatRequestTopicPartitions(each, list(indexes))
                for each, indexes in owned.items()
            ]
            answer = await member.connection.ask(request, group_load.HEARTBEAT_VERSION)
            return int(answer.error_code)

        await _tell_large(broker, f"{_MANY} owned of {what}", send)
    await _end([member], [])


async def _tell_large(broker: Broker, what: str, send: Callable[[], Awaitable[int]]) -> None:
    with Watch(broker) as watch:
        started_s = time.perf_counter()
        code = await send()
        took_ms = (time.perf_counter() - started_s) * 1000
        await asyncio.sleep(0.2)
    tell(broker, "large", f"{what}: {ErrorCode(code).name} in {took_ms:,.0f} ms, {watch}")


async def clients(broker: Broker, group_id: str) -> None:
    """See the module."""
    topic = await _prepare(broker, group_id, 200)
    with Watch(broker) as watch:
        text = await asyncio.to_thread(_real_clients, broker, group_id, topic)
    tell(broker, "clients", f"{text}; {watch}")


def _real_clients(broker: Broker, group_id: str, topic: str) -> str:
    from confluent_kafka import Consumer  # noqa: PLC0415

    consumers = [
        Consumer(
            {
                "bootstrap.servers": broker.servers,
                "group.id": group_id,
                "group.protocol": "consumer",
                "log_level": 0,
            }
        )
        for _ in range(50)
    ]
    try:
        started_s = time.perf_counter()
        for each in consumers:
            each.subscribe([topic])
        while True:
            for each in consumers:
                each.poll(0)
            found = [p.partition for each in consumers for p in each.assignment()]
            shares = {len(each.assignment()) for each in consumers}
            if shares == {4} and sorted(found) == list(range(200)):
                break
            if time.perf_counter() - started_s > _PATIENCE_S:
                return f"NOT stable: {len(found)} partitions assigned, shares {sorted(shares)}"
            time.sleep(0.01)
        took_s = time.perf_counter() - started_s
        with AdminClient(broker.servers, client_id="measure") as client:
            group = describe_group(client, group_id)
        return f"each has 4 partitions after {took_s:.2f} s, described {group.state}"
    finally:
        for each in consumers:
            each.close()


async def _end(members: list[ConsumerMember], tasks: list["asyncio.Task[None]"]) -> None:
    """Let all members leave, and close their connections."""
    await group_load.ended(tasks)
    await asyncio.gather(*(each.leave() for each in members))
    for each in members:
        each.connection.close()


class Workload(NamedTuple):
    """A function, and the configuration of its brokers over that of all."""

    run: Callable[[Broker, str], Coroutine[None, None, None]]
    config: Mapping[str, str]


WORKLOADS = {
    "rebalance": Workload(rebalance, {}),
    "rebalance-fast": Workload(rebalance, _FAST),
    "heartbeat": Workload(heartbeat, _FAST),
    "memory": Workload(memory, {}),
    "storm": Workload(storm, {}),
    "classic": Workload(classic, {}),
    "full": Workload(full, _SMALL),
    "large": Workload(large, {}),
    "clients": Workload(clients, {}),
}


def _start(
    stack: ExitStack, name: str, config: Mapping[str, str], tools: Path | None, port: int
) -> Broker:
    everything = {**_CONFIG, **config}
    if name == "minikafka":
        cluster = stack.enter_context(
            Cluster(1, config=everything, kafka_defaults=True, base_port=port, log_level="WARNING")
        )
        return Broker(name, cluster.base_port, cluster.pid(1))
    assert tools is not None
    nodes = stack.enter_context(KafkaNodes(tools, 1, config=everything, base_port=port))
    return Broker(name, nodes.base_port, listeners([nodes.base_port])[nodes.base_port])


def main() -> int:
    """Measure, and print a line for each result."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", default=list(WORKLOADS))
    parser.add_argument("--kafka", type=Path, help="a folder with kafka-cluster")
    parser.add_argument("--only-kafka", action="store_true")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--base-port", type=int, default=26_000)
    options = parser.parse_args()
    names = ["minikafka"] if not options.only_kafka else []
    if options.kafka is not None:
        names.append("Apache Kafka")
    print(f"load of the machine {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors")
    for workload in options.workloads:
        found = WORKLOADS[workload]
        with ExitStack() as stack:
            brokers = [
                _start(
                    stack,
                    name,
                    found.config,
                    options.kafka,
                    options.base_port + 500 * (name != "minikafka"),
                )
                for name in names
            ]
            for number in range(options.rounds):
                for broker in brokers:
                    try:
                        asyncio.run(found.run(broker, f"{workload}-{number}"))
                    except (TimeoutError, OSError, AssertionError) as error:
                        tell(broker, workload, f"FAILED: {type(error).__name__} {error}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
