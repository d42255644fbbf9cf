"""Compare the CPU time of small requests in two checkouts.

    python tools/compare_steps.py BASE TREE [--rounds 40] [--count 150] [--cases ack1 fetch ...]

BASE and TREE are checkouts, such as `git worktree add ../base HEAD~10` makes; copy
`minikafka/records/_summary*.so` into one that has none. Each tree gets a process with one node, a
real disk and no sockets. The processes take turns, so that other load on the machine slows both
down. The ratio is the median of the ratios of all rounds.

Before each request of the case `cold`, which is otherwise `ack1`, the process sleeps for a
millisecond, as at 1,000 requests per second. The case `follower` is the Fetch of a follower that
has all records of its 1,000 partitions: the broker keeps it for a millisecond, and answers that
nothing has changed.
"""

import argparse
import gc
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from minikafka.common import effects as fx
from minikafka.common import events
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import Uuid
from minikafka.config.node_config import node_config
from minikafka.messages import (
    broker_heartbeat,
    broker_registration,
    create_topics,
    fetch,
    find_coordinator,
    heartbeat,
    join_group,
    produce,
    sync_group,
)
from minikafka.metadata.features import DEFAULT_LEVELS, SUPPORTED_FEATURES
from minikafka.node.assembly import assemble
from minikafka.node.inputs import NodeInputs
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.rpc.envelope import decode_response, encode_request
from minikafka.server.driver import read_clock, resolve
from minikafka.server.format import format_node
from minikafka.server.os_disk import OsDisk

CASES = (
    "ack1", "ackall", "idempotent", "kilobyte", "fetch", "fetch-id", "heartbeat", "cold",
    "follower",
)  # fmt: skip
_PAUSE_S = 0.001
_FOLLOWED = 1000
"""Partitions of the follower, which is broker 2 and never runs."""
_FOLLOWER_ID = 2
_FOLLOWER_VERSION = 18
_CONTROLLER_CONNECTION = 1_000_000
_PORTS = {"CLIENTS": 9092, "CONTROLLER": 9093}
_START_S = 20.0
_SIZE_BYTES = 4
_HEARTBEAT_VERSION = 4
_JOIN_VERSION = 7
_SYNC_VERSION = 3
_TO_FETCH = 500
"""Records in the log that is fetched from; a fetch reads the last one."""
_WARM_UP_ROUNDS = 2


class Bench:
    """One node that is broker and controller, driven by hand, and a connection to it."""

    def __init__(self, folder: Path) -> None:
        """Start the node, and make what is written to and read from."""
        cluster_id = str(Uuid.of(1, 2))
        address = "127.0.0.1"
        config = node_config({
            "process.roles": "broker,controller", "node.id": "1", "log.dirs": str(folder),
            "listeners": ",".join(f"{it}://{address}:{port}" for it, port in _PORTS.items()),
            "listener.security.protocol.map": ",".join(f"{it}:PLAINTEXT" for it in _PORTS),
            "inter.broker.listener.name": "CLIENTS", "controller.listener.names": "CONTROLLER",
            "controller.quorum.voters": f"1@{address}:{_PORTS['CONTROLLER']}",
            "offsets.topic.num.partitions": "1", "offsets.topic.replication.factor": "1",
            "group.initial.rebalance.delay.ms": "0", "broker.session.timeout.ms": "3600000",
        })  # fmt: skip
        format_node(config, cluster_id, dict(DEFAULT_LEVELS), None, ignore_formatted=False)
        disks = {path: OsDisk(path) for path in config.all_log_dirs}
        inputs = NodeInputs(disks, _PORTS, cluster_id, random.Random(1), read_clock())
        self._node = assemble(config, inputs)
        self._replies: list[bytes] = []
        self._own: dict[fx.Channel, int] = {}
        """Connections of the node to itself."""
        self._is_started = False
        self._sequence = 0
        self._member: heartbeat.HeartbeatRequest | None = None
        self._idle: fetch.FetchRequest | None = None
        self._cluster_id = cluster_id
        self._carry_out(self._node.start(read_clock()))
        self._until(lambda: self._is_started)
        self._step(events.ConnectionOpened(0, "CLIENTS", address))
        self._topic_ids = [self._create(name) for name in ("written", "read")]
        for _ in range(_TO_FETCH):
            self._ask(_produce("read", acks=1), 12)

    def frames(self, case: str, count: int) -> list[bytes]:
        """The requests of one round."""
        if case == "idempotent":
            return [self._next_in_sequence() for _ in range(count)]
        if case == "follower":
            return [self._next_idle_fetch() for _ in range(count)]
        body: Any
        if case == "heartbeat":
            body, version = self._heartbeat(), _HEARTBEAT_VERSION
        elif case.startswith("fetch"):
            version = 17 if case == "fetch-id" else 12
            body = _fetch("read", self._topic_ids[1])
        else:
            version = 12
            size = 1024 if case == "kilobyte" else 100
            body = _produce("written", acks=1 if case in ("ack1", "cold") else -1, size=size)
        return [_frame(body, version)] * count

    def run(self, case: str, count: int) -> float:
        """Microseconds of CPU for one request."""
        frames = self.frames(case, count)
        if case in ("cold", "follower"):
            return self._run_with_pauses(case, frames)
        view = memoryview(bytearray(65536))
        node = self._node
        done = []
        began_ns = time.process_time_ns()
        for frame in frames:
            view[: len(frame)] = frame
            done.append(node.step(events.RequestFrame(0, view[: len(frame)]), read_clock()))
            node.next_deadline_ms()
        took_ns = time.process_time_ns() - began_ns
        self._finish(done)
        self._check(case, self._replies.pop())
        self._step(events.Tick())
        return took_ns / count / 1000

    def _run_with_pauses(self, case: str, frames: Sequence[bytes]) -> float:
        """Microseconds of CPU for one request, with all steps that it takes."""
        took_ns = 0
        for frame in frames:
            view = memoryview(bytearray(frame))
            if case == "cold":
                time.sleep(_PAUSE_S)
            began_ns = time.process_time_ns()
            done = [self._node.step(events.RequestFrame(0, view), read_clock())]
            self._node.next_deadline_ms()
            took_ns += time.process_time_ns() - began_ns
            if case == "follower":
                time.sleep(_PAUSE_S)
                began_ns = time.process_time_ns()
                done.append(self._node.step(events.Tick(), read_clock()))
                took_ns += time.process_time_ns() - began_ns
            self._finish(done)
            self._until(lambda: bool(self._replies))
            self._check(case, self._replies.pop())
        return took_ns / len(frames) / 1000

    def count(self, case: str, count: int, counted: Callable[[Callable[[], None]], int]) -> int:
        """Let `counted` call a function that handles the requests of one round; return its result.

        All requests have the same time of the clocks.
        """
        frames, now = self.frames(case, count), read_clock()
        views = [memoryview(bytearray(frame)) for frame in frames]
        done = []

        def handle() -> None:
            for view in views:
                done.append(self._node.step(events.RequestFrame(0, view), now))
                self._node.next_deadline_ms()

        found = counted(handle)
        self._finish(done)
        self._check(case, self._replies.pop())
        return found

    def _finish(self, done: Sequence[Sequence[fx.Effect]]) -> None:
        """Carry out the effects of a round; of the replies only the last one is kept.

        A round may also have a request of the node to itself, which the node then waits for.
        """
        self._replies.clear()
        for effects in done:
            del self._replies[:-1]
            self._carry_out(effects)

    def _check(self, case: str, reply: bytes) -> None:
        """Refuse to measure errors."""
        if case == "heartbeat":
            view = memoryview(reply)[_SIZE_BYTES:]
            beat: Any = decode_response(
                view, heartbeat.HeartbeatRequest.API_KEY, _HEARTBEAT_VERSION
            )
            assert beat[1].error_code == 0, beat
            return
        if case == "follower":
            view = memoryview(reply)[_SIZE_BYTES:]
            fetched: Any = decode_response(view, fetch.FetchRequest.API_KEY, _FOLLOWER_VERSION)
            assert fetched[1].error_code == 0, fetched[1].error_code
            assert not fetched[1].responses, fetched[1].responses[0].partitions[0]
            return
        version = 17 if case == "fetch-id" else 12
        key = fetch.FetchRequest if case.startswith("fetch") else produce.ProduceRequest
        body: Any = decode_response(memoryview(reply)[_SIZE_BYTES:], key.API_KEY, version)[1]
        topic = body.responses[0]
        if case.startswith("fetch"):
            assert topic.partitions[0].error_code == 0, body
            assert topic.partitions[0].records, body
        else:
            assert topic.partition_responses[0].error_code == 0, body

    def _next_in_sequence(self) -> bytes:
        body = _produce("written", acks=-1, producer_id=7, sequence=self._sequence)
        self._sequence += 1
        return _frame(body, 12)

    def _heartbeat(self) -> heartbeat.HeartbeatRequest:
        """The request of the only member of a group, which joins on the first call."""
        if self._member is None:
            find = find_coordinator.FindCoordinatorRequest(coordinator_keys=["g"])
            self._until(lambda: self._ask(find, 4).coordinators[0].error_code == 0)
            protocol = join_group.JoinGroupRequestProtocol("range", b"")
            join = join_group.JoinGroupRequest(
                group_id="g", session_timeout_ms=60_000, rebalance_timeout_ms=60_000,
                protocol_type="consumer", protocols=[protocol],
            )  # fmt: skip
            answer = self._ask(join, _JOIN_VERSION)
            if answer.error_code == ErrorCode.MEMBER_ID_REQUIRED:
                join.member_id = answer.member_id
                answer = self._ask(join, _JOIN_VERSION)
            assert answer.error_code == 0, answer
            member = answer.generation_id, answer.member_id
            given = [sync_group.SyncGroupRequestAssignment(answer.member_id, b"")]
            sync = sync_group.SyncGroupRequest("g", *member, assignments=given)
            assert self._ask(sync, _SYNC_VERSION).error_code == 0
            self._member = heartbeat.HeartbeatRequest("g", *member)
        return self._member

    def _next_idle_fetch(self) -> bytes:
        """The next request of the session of a follower, which opens it on the first call."""
        if self._idle is None:
            replica = fetch.ReplicaState(_FOLLOWER_ID, self._register_follower())
            assignments = [
                create_topics.CreatableReplicaAssignment(index, [1, _FOLLOWER_ID])
                for index in range(_FOLLOWED)
            ]
            topic_id = self._create("followed", assignments)
            wanted = [
                fetch.FetchPartition(partition=index, partition_max_bytes=1 << 20)
                for index in range(_FOLLOWED)
            ]
            opening = fetch.FetchRequest(
                replica_state=replica, max_wait_ms=1, min_bytes=1, max_bytes=1 << 20,
                session_epoch=0, topics=[fetch.FetchTopic(topic_id=topic_id, partitions=wanted)],
            )  # fmt: skip
            broker = self._node.broker
            assert broker is not None
            led = broker.replicas.partitions
            self._until(lambda: sum(each.is_leader for each in led.values()) >= _FOLLOWED)
            answer = self._ask(opening, _FOLLOWER_VERSION)
            self._idle = fetch.FetchRequest(
                replica_state=replica, max_wait_ms=1, min_bytes=1, max_bytes=1 << 20,
                session_id=answer.session_id, session_epoch=0,
            )  # fmt: skip
        self._idle.session_epoch += 1
        return _frame(self._idle, _FOLLOWER_VERSION)

    def _register_follower(self) -> int:
        """Register broker 2 as one that serves; return its epoch."""
        self._step(events.ConnectionOpened(_CONTROLLER_CONNECTION, "CONTROLLER", "127.0.0.1"))
        levels = [
            broker_registration.Feature(name, level.minimum, level.maximum)
            for name, level in SUPPORTED_FEATURES.items()
        ]
        listener = broker_registration.Listener("CLIENTS", "127.0.0.1", _PORTS["CLIENTS"] + 10)
        answer = self._ask(
            broker_registration.BrokerRegistrationRequest(
                broker_id=_FOLLOWER_ID, cluster_id=self._cluster_id, incarnation_id=Uuid.of(3, 4),
                listeners=[listener], features=levels, log_dirs=[Uuid.of(5, 6)], rack=None,
            ),
            4,
            _CONTROLLER_CONNECTION,
        )  # fmt: skip
        assert answer.error_code == 0, answer
        beat = broker_heartbeat.BrokerHeartbeatRequest(
            broker_id=_FOLLOWER_ID, broker_epoch=answer.broker_epoch,
            current_metadata_offset=answer.broker_epoch, want_fence=False,
        )  # fmt: skip
        self._until(lambda: not self._ask(beat, 1, _CONTROLLER_CONNECTION).is_fenced)
        epoch: int = answer.broker_epoch
        return epoch

    def _create(
        self, name: str, assignments: Sequence[create_topics.CreatableReplicaAssignment] = ()
    ) -> Uuid:
        counts = (-1, -1) if assignments else (1, 1)
        topic = create_topics.CreatableTopic(name, *counts, assignments=list(assignments))
        body = create_topics.CreateTopicsRequest(topics=[topic], timeout_ms=10_000)
        answer: Any = self._ask(body, 7)
        assert answer.topics[0].error_code == 0, answer
        topic_id: Uuid = answer.topics[0].topic_id
        broker = self._node.broker
        assert broker is not None
        self._until(lambda: topic_id in broker.replicas.image.topics)
        return topic_id

    def _ask(self, body: Any, version: int, connection: int = 0) -> Any:
        self._step(events.RequestFrame(connection, memoryview(bytearray(_frame(body, version)))))
        self._until(lambda: bool(self._replies))
        reply = memoryview(self._replies.pop())[_SIZE_BYTES:]
        return decode_response(reply, body.API_KEY, version)[1]

    def _until(self, is_done: Any) -> None:
        end_s = time.monotonic() + _START_S
        while not is_done():
            assert time.monotonic() < end_s, "the node does not get there"
            self._step(events.Tick())

    def _step(self, event: events.Event) -> None:
        self._carry_out(self._node.step(event, read_clock()))

    def _carry_out(self, effects: Sequence[fx.Effect]) -> None:
        for effect in effects:
            if isinstance(effect, fx.Reply):
                self._reply(effect)
            elif isinstance(effect, fx.Send):
                self._send(effect)
            elif isinstance(effect, fx.Flush):
                for target in effect.targets:
                    target.run()
                self._step(events.FlushDone(effect.token, None))
            elif isinstance(effect, fx.Started):
                self._is_started = True

    def _reply(self, effect: fx.Reply) -> None:
        data = b"".join(map(resolve, effect.parts))
        for channel, connection in self._own.items():
            if connection == effect.connection:
                self._step(events.ResponseFrame(channel, memoryview(data)[_SIZE_BYTES:]))
                return
        self._replies.append(data)

    def _send(self, effect: fx.Send) -> None:
        channel = effect.channel
        if channel not in self._own:
            self._own[channel] = len(self._own) + 1
            (listener,) = [it for it, port in _PORTS.items() if port == channel.port]
            self._step(events.ConnectionOpened(self._own[channel], listener, channel.host))
        data = bytearray(b"".join(map(resolve, effect.parts)))
        self._step(events.RequestFrame(self._own[channel], memoryview(data)[_SIZE_BYTES:]))


def _frame(body: Any, version: int) -> bytes:
    return b"".join(map(resolve, encode_request(1, "compare", body, version)))[_SIZE_BYTES:]


def _produce(
    topic: str, *, acks: int, size: int = 100, producer_id: int = -1, sequence: int = -1
) -> produce.ProduceRequest:
    options = BatchOptions(
        producer_id=producer_id, producer_epoch=min(producer_id, 0), base_sequence=sequence
    )
    batch = build_batch([NewRecord(read_clock().wall_ms, None, bytes(size))], options)
    data = produce.PartitionProduceData(0, memoryview(batch))
    topics = [produce.TopicProduceData(name=topic, partition_data=[data])]
    return produce.ProduceRequest(acks=acks, timeout_ms=30_000, topic_data=topics)


def _fetch(topic: str, topic_id: Uuid) -> fetch.FetchRequest:
    wanted = fetch.FetchPartition(fetch_offset=_TO_FETCH - 1, partition_max_bytes=1 << 20)
    return fetch.FetchRequest(
        max_wait_ms=0, min_bytes=1, max_bytes=1 << 20, session_epoch=-1,
        topics=[fetch.FetchTopic(topic=topic, topic_id=topic_id, partitions=[wanted])],
    )  # fmt: skip


def serve() -> None:
    """Run what standard input asks for: a case and how many requests, line by line."""
    with tempfile.TemporaryDirectory(prefix="minikafka-steps-") as folder:
        bench = Bench(Path(folder))
        # As a node does some seconds after its start.
        gc.collect()
        gc.freeze()
        gc.set_threshold(50_000, 20, 1_000)
        for line in sys.stdin:
            case, count = line.split()
            print(json.dumps(bench.run(case, int(count))), flush=True)


@contextmanager
def _worker(tree: Path) -> Iterator["subprocess.Popen[str]"]:
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    with subprocess.Popen(
        [sys.executable, __file__, "--serve"], env=environment, cwd=tree, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as process:  # fmt: skip
        yield process


def _ask(worker: "subprocess.Popen[str]", case: str, count: int) -> float:
    assert worker.stdin is not None
    assert worker.stdout is not None
    print(case, count, file=worker.stdin, flush=True)
    return float(worker.stdout.readline())


def compare(
    trees: Sequence[Path], cases: Sequence[str], rounds: int, count: int
) -> dict[str, list[tuple[float, float]]]:
    """Microseconds in both trees, by case, round by round."""
    found: dict[str, list[tuple[float, float]]] = {case: [] for case in cases}
    with ExitStack() as stack:
        base, tree = [stack.enter_context(_worker(path.resolve())) for path in trees]
        for number in range(rounds + _WARM_UP_ROUNDS):
            for case in cases:
                if number % 2:
                    before = _ask(base, case, count)
                    after = _ask(tree, case, count)
                else:
                    after = _ask(tree, case, count)
                    before = _ask(base, case, count)
                if number >= _WARM_UP_ROUNDS:
                    found[case].append((before, after))
    return found


def main(words: Sequence[str] | None = None) -> int:
    """Compare two trees, or be the process of one of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trees", nargs="*", type=Path, metavar="TREE")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--count", type=int, default=150, help="requests in a round")
    parser.add_argument("--cases", nargs="+", choices=CASES, default=CASES)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args(words)
    if args.serve:
        serve()
        return 0
    if len(args.trees) != 2:
        parser.error("two trees are compared")
    print("| case | base, us | tree, us | ratio |\n| --- | --- | --- | --- |")
    for case, pairs in compare(args.trees, args.cases, args.rounds, args.count).items():
        before, after = (median(each) for each in zip(*pairs, strict=True))
        ratio = median(after / before for before, after in pairs)
        print(f"| {case} | {before:.1f} | {after:.1f} | {ratio:.2f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
