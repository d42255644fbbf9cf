"""The attacks: what a client may send that costs a broker much more than the client.

Each is bounded in count and in time, and a function of the target. What an attack prepares (topics,
records) is made by a generator before its first `yield`; the latency of others is measured from
there to its second; what follows cleans up.
"""

import contextlib
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from confluent_kafka.admin import NewTopic

from minikafka.messages.delete_groups import DeleteGroupsRequest
from minikafka.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from minikafka.messages.find_coordinator import FindCoordinatorRequest
from minikafka.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from minikafka.messages.metadata import MetadataRequest, MetadataRequestTopic
from minikafka.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from minikafka.records.batch import HEADER, HEADER_SIZE, LOG_OVERHEAD, batch_crc
from minikafka.records.builder import BatchOptions, NewRecord, build_batch, write_varint
from minikafka.records.compression import Codec, compress
from tests.attacks.peer import PATIENCE_S, Peer, Target, frame, produce

HOLD_S = 10
"""How long idle connections are held."""
TOPIC = "attacked"
MIB = 1 << 20
_RESET = struct.pack("ii", 1, 0)


@dataclass
class Kind:
    """An attack and what its cluster needs."""

    run: Callable[[Target], Iterator[None]]
    config: dict[str, str]
    open_files: int | None = None
    honest_bytes: int = 100
    """The size of the honest producer's records."""


ATTACKS: dict[str, Kind] = {}


def attack(name, config=None, **options):
    def note(run):
        ATTACKS[name] = Kind(run, config or {}, **options)
        return run

    return note


def _raw_batch(section: bytes, count: int, timestamp: int, **options) -> bytearray:
    """A batch of a record section that no encoder would write."""
    made = BatchOptions(codec=Codec.ZSTD, **options)
    batch = bytearray(HEADER_SIZE) + compress(Codec.ZSTD, section)
    HEADER.pack_into(
        batch, 0, 0, len(batch) - LOG_OVERHEAD, -1, 2, 0, made.codec, count - 1, timestamp,
        timestamp, made.producer_id, made.producer_epoch, made.base_sequence, count,
    )  # fmt: skip
    struct.pack_into(">I", batch, 17, batch_crc(batch, 0, len(batch)))
    return batch


def _exchange(peer: Peer, data: bytes, count: int) -> None:
    """Send pipelined requests and read the responses; requests may exceed the buffers."""
    sender = threading.Thread(target=peer.send, args=(data,), daemon=True)
    sender.start()
    for _ in range(count):
        if peer.answer() is None:
            break
    sender.join()


def _side_by_side(work: Callable[[int], None], count: int) -> None:
    threads = [
        threading.Thread(target=work, args=(number,), daemon=True) for number in range(count)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@attack("headers")
def headers(target: Target) -> Iterator[None]:
    """One record with 52 million empty headers, compressed to some 9 KB; far in the future."""
    target.create(TOPIC)
    count = target.count(52_000_000)
    body = bytearray(b"\0\0\0\1\1")
    write_varint(body, count)
    section = bytearray()
    write_varint(section, len(body) + 2 * count)
    section += body
    section += bytes(2 * count)
    batch = _raw_batch(bytes(section), 1, 1 << 50)
    data = frame(produce(TOPIC, {0: batch}))
    del section
    yield

    def send(_: int) -> None:
        with target.peer() as peer:
            _exchange(peer, data * 2, 2)

    _side_by_side(send, 4)
    target.note(f"8 records of {len(batch):,} bytes, {count:,} headers each")
    yield


@attack("listoffsets")
def listoffsets(target: Target) -> Iterator[None]:
    """Searches by time in an honest batch."""
    target.create(TOPIC)
    count, searches = target.count(90_000), target.count(60)
    now = int(time.time() * 1000)
    records = [NewRecord(now + each, None, b"x") for each in range(count)]
    batch = build_batch(records, BatchOptions(codec=Codec.ZSTD))
    data = frame(
        ListOffsetsRequest(
            -1, 0, [ListOffsetsTopic(TOPIC, [ListOffsetsPartition(0, -1, now + count - 1)])]
        )
    )
    with target.peer() as peer:
        peer.ask(produce(TOPIC, {0: batch}))
        yield
        _exchange(peer, data * searches, searches)
    target.note(f"{searches} ListOffsets by time, pipelined, over a batch of {count:,} records")
    yield


@attack("duplicates")
def duplicates(target: Target) -> Iterator[None]:
    """Metadata that names one large topic again and again."""
    partitions, times = target.count(1_000), target.count(2_000)
    target.create(TOPIC, partitions)
    data = frame(MetadataRequest([MetadataRequestTopic(name=TOPIC)] * times, False))
    yield
    with target.peer() as peer:
        _exchange(peer, data * 5, 5)
    target.note(f"5 Metadata, each {times:,} times the same topic of {partitions:,} partitions")
    yield


@attack("empties")
def empties(target: Target) -> Iterator[None]:
    """An OffsetFetch of millions of empty array elements, three bytes each."""
    count = target.count(7_000_000)
    body = bytearray(struct.pack(">hhih", 9, 7, 0, 0) + b"\0\2g")
    left = count + 1
    while left >= 128:
        body.append(left & 127 | 128)
        left >>= 7
    body.append(left)
    # Name, array of partitions, tagged fields: all empty.
    body += b"\1\1\0" * count
    body += b"\0\0"
    data = struct.pack(">i", len(body)) + body
    yield
    for _ in range(3):
        with target.peer() as peer:
            _exchange(peer, data, 1)
    target.note(f"3 OffsetFetch of {count:,} empty elements, {len(data) / 1e6:.0f} MB each")
    yield


@attack("recorderrors")
def recorderrors(target: Target) -> Iterator[None]:
    """A batch whose records are all refused: a compacted topic takes none without a key."""
    target.create(TOPIC, config={"cleanup.policy": "compact"})
    count = target.count(1_000_000)
    section = bytearray()
    for delta in range(count):
        record = bytearray(b"\0\0")
        write_varint(record, delta)
        record += b"\1\1\0"
        write_varint(section, len(record))
        section += record
    batch = _raw_batch(bytes(section), count, int(time.time() * 1000))
    data = frame(produce(TOPIC, {0: batch}))
    yield
    with target.peer() as peer:
        _exchange(peer, data * 3, 3)
    target.note(f"3 batches of {count:,} records without a key, {len(batch):,} bytes each")
    yield


@attack("create5000")
def create5000(target: Target) -> Iterator[None]:
    """Thousands of partitions in one CreateTopics, with three replicas where there are brokers."""
    partitions = target.count(5_000)
    brokers = len(target.admin.list_topics(timeout=PATIENCE_S).brokers)
    topic = NewTopic(TOPIC, partitions, min(brokers, 3))
    yield
    target.admin.create_topics([topic])[TOPIC].result(PATIENCE_S)
    target.created.append(TOPIC)
    target.note(f"{partitions:,} partitions with {min(brokers, 3)} replicas")
    time.sleep(HOLD_S * target.scale)
    yield


@attack("metadata")
def metadata(target: Target) -> Iterator[None]:
    """Pipelined Metadata from 20 connections, while another one connects and asks."""
    count = target.count(10_000)
    data = frame(MetadataRequest([], False))
    longest_s = 0.0
    is_over = threading.Event()

    def newcomers() -> None:
        nonlocal longest_s
        while not is_over.wait(0.05):
            begun_s = time.monotonic()
            with target.peer() as peer:
                peer.ask(MetadataRequest([], False))
            longest_s = max(longest_s, time.monotonic() - begun_s)

    def send(_: int) -> None:
        with target.peer() as peer:
            _exchange(peer, data * count, count)

    newcomer = threading.Thread(target=newcomers, daemon=True)
    yield
    newcomer.start()
    _side_by_side(send, 20)
    is_over.set()
    newcomer.join()
    target.note(
        f"20 x {count:,} Metadata, pipelined; a new connection has its answer after "
        f"{longest_s * 1000:.0f} ms at most"
    )
    yield


@attack("readers")
def readers(target: Target) -> Iterator[None]:
    """Readers that ask for 2 GiB and never read their answers."""
    target.create(TOPIC, config={"max.message.bytes": "2000000"})
    batch = build_batch([NewRecord(int(time.time() * 1000), None, bytes(MIB))])
    batches = target.count(200)
    with target.peer() as peer:
        for _ in range(batches):
            peer.ask(produce(TOPIC, {0: batch}))
    limit = (1 << 31) - 1
    wanted = [FetchPartition(0, fetch_offset=0, partition_max_bytes=limit)]
    data = frame(FetchRequest(max_bytes=limit, topics=[FetchTopic(TOPIC, partitions=wanted)]))
    yield
    count = target.count(30)
    with contextlib.ExitStack() as held:
        for _ in range(count):
            held.enter_context(target.peer()).send(data * 4)
        time.sleep(HOLD_S * target.scale)
    target.note(f"{count} readers, 4 Fetch each, of a log of {batches} MiB")
    yield


@attack("parked")
def parked(target: Target) -> Iterator[None]:
    """Connections that park a Fetch for as long as it may be, and go away."""
    target.create(TOPIC)
    longest = (1 << 31) - 1
    wanted = [FetchPartition(0, fetch_offset=0, partition_max_bytes=MIB)]
    data = frame(
        FetchRequest(
            max_wait_ms=longest, min_bytes=longest, topics=[FetchTopic(TOPIC, partitions=wanted)]
        )
    )
    count = target.count(1_500)
    yield
    with contextlib.ExitStack() as held:

        def send(_: int) -> None:
            for _ in range(count // 30 or 1):
                held.enter_context(target.peer()).send(data)

        _side_by_side(send, 30)
        time.sleep(1)
    target.note(f"{count:,} parked Fetch")
    yield


@attack("churn")
def churn(target: Target) -> Iterator[None]:
    """Connections opened and closed by 32 senders, for half a minute at most."""
    most, senders = target.count(58_000), 32
    data = frame(MetadataRequest([], False))
    ends_s = 0.0
    opened = [0] * senders

    def send(sender: int) -> None:
        while time.monotonic() < ends_s and sum(opened) < most:
            with contextlib.suppress(OSError), target.peer() as peer:
                opened[sender] += 1
                # Without an answer the backlog of the listener is full at once, and the system waits.
                peer.send(data)
                peer.answer()
                # A reset: the port is free at once.
                peer.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)

    yield
    ends_s = time.monotonic() + 30
    _side_by_side(send, senders)
    target.note(f"{sum(opened):,} connections, each with a request")
    yield


@attack("groups", {"offsets.topic.num.partitions": "1"})
def groups(target: Target) -> Iterator[None]:
    """Groups that exist by a committed offset: many, then large ones until they are refused."""
    with target.peer() as peer:
        while True:
            (found,) = peer.ask(FindCoordinatorRequest("", 0, ["0"])).coordinators
            if found.error_code == 0:
                break
            time.sleep(0.1)
    address = found.host, found.port
    count, large = target.count(100_000), target.count(100_000)
    target.create(TOPIC)

    def commits(first: int, last: int, note: str) -> bytes:
        topics = [
            OffsetCommitRequestTopic(
                TOPIC, partitions=[OffsetCommitRequestPartition(0, 1, committed_metadata=note)]
            )
        ]
        return b"".join(
            frame(OffsetCommitRequest(f"group-{number}", topics=topics))
            for number in range(first, last)
        )

    yield
    with Peer(address) as peer:
        for first in range(0, count, 1_000):
            last = min(first + 1_000, count)
            _exchange(peer, commits(first, last, ""), last - first)
        refused_at = None
        for first in range(0, large, 200):
            last = min(first + 200, large)
            _exchange(peer, commits(first, last, "x" * 4_000), last - first)
            probe = OffsetCommitRequest(
                f"large-{first}",
                topics=[
                    OffsetCommitRequestTopic(
                        TOPIC,
                        partitions=[OffsetCommitRequestPartition(0, 1, committed_metadata="x")],
                    )
                ],
            )
            if peer.ask(probe).topics[0].partitions[0].error_code:
                refused_at = last
                break
        target.note(
            f"{count:,} groups; 4,000 bytes at {refused_at or large:,} of their offsets, "
            + ("refused from there" if refused_at else "none refused")
        )
        yield
        for first in range(0, count, 1_000):
            names = [f"group-{number}" for number in range(first, min(first + 1_000, count))]
            peer.ask(DeleteGroupsRequest(names))
        peer.ask(DeleteGroupsRequest([f"large-{first}" for first in range(0, large, 200)]))


@attack("producers")
def producers(target: Target) -> Iterator[None]:
    """Idempotent producers that write one batch each, over five partitions, up to the bound."""
    target.create(TOPIC, 5)
    count = target.count(120_000)
    now = int(time.time() * 1000)
    record = [NewRecord(now, None, b"x")]
    yield
    with target.peer() as peer:
        for first in range(0, count, 500):
            data = b"".join(
                frame(
                    produce(
                        TOPIC,
                        {
                            partition: build_batch(
                                record,
                                BatchOptions(
                                    producer_id=1_000_000 + number + partition,
                                    producer_epoch=0,
                                    base_sequence=0,
                                ),
                            )
                            for partition in range(5)
                        },
                    )
                )
                for number in range(first, min(first + 500, count), 5)
            )
            _exchange(peer, data, len(range(first, min(first + 500, count), 5)))
    target.note(f"{count:,} producer ids on five partitions")
    yield


@attack("sessions")
def sessions(target: Target) -> Iterator[None]:
    """Fetch that opens a session with as many partitions as a request may name."""
    target.create(TOPIC)
    partitions, times = target.count(19_990), 20
    wanted = [FetchPartition(index, partition_max_bytes=1) for index in range(partitions)]
    topics = [FetchTopic(TOPIC, partitions=wanted)]
    data = frame(FetchRequest(session_epoch=0, topics=topics))
    yield
    for _ in range(times):
        with target.peer() as peer:
            _exchange(peer, data, 1)
    target.note(f"{times} Fetch that open a session with {partitions:,} partitions")
    yield


def _claims(target: Target, count: int, held: contextlib.ExitStack) -> list[Peer]:
    peers = [held.enter_context(target.peer()) for _ in range(count)]
    for peer in peers:
        peer.socket.setblocking(False)
    return peers


@attack("halves")
def halves(target: Target) -> Iterator[None]:
    """Connections that send one half of a very large frame and no more."""
    count, size = 40, target.count(90_000_000)
    half = memoryview(struct.pack(">i", size) + bytes(size // 2))
    yield
    with contextlib.ExitStack() as held:
        sent = dict.fromkeys(_claims(target, count, held), 0)
        ends_s = time.monotonic() + HOLD_S * target.scale
        while time.monotonic() < ends_s:
            moved = 0
            for peer, position in sent.items():
                with contextlib.suppress(OSError):
                    moved += (got := peer.socket.send(half[position : position + MIB]))
                    sent[peer] = position + got
            if not moved:
                time.sleep(0.01)
    target.note(f"{count} halves of frames of {size:,} bytes; {sum(sent.values()) >> 20} MiB taken")
    yield


@attack("drip", honest_bytes=100_000)
def drip(target: Target) -> Iterator[None]:
    """Connections that announce very large frames, and send a byte a second of them."""
    count, size = 40, 90_000_000
    yield
    with contextlib.ExitStack() as held:
        peers = _claims(target, count, held)
        for peer in peers:
            peer.socket.send(struct.pack(">i", size) + bytes(60_000))
        for _ in range(round(3 * HOLD_S * target.scale) or 1):
            for peer in peers:
                with contextlib.suppress(OSError):
                    peer.socket.send(b"\0")
            time.sleep(1)
    target.note(f"{count} frames of {size:,} bytes, a byte a second; others send {100_000:,} bytes")
    yield


@attack("idle", open_files=1_024)
def idle(target: Target) -> Iterator[None]:
    """Idle connections, more than a node of 1,024 descriptors has room for."""
    count = target.count(1_500)
    yield
    refused = 0
    with contextlib.ExitStack() as held:
        peers = []
        for _ in range(count):
            try:
                peers.append(held.enter_context(target.peer()))
            except OSError:
                refused += 1
        time.sleep(HOLD_S * target.scale)
        for peer in peers:
            peer.socket.setblocking(False)
            try:
                refused += peer.socket.recv(1) == b""
            except BlockingIOError:
                pass
            except OSError:
                refused += 1
    target.note(f"{count:,} idle connections at a limit of 1,024 files; {refused:,} refused")
    yield
