"""Clients that send half of a large request each: memory is bounded, and others go on."""

import contextlib
import os
import socket
from pathlib import Path

from confluent_kafka import Producer

from minikafka.testing import Cluster

FRAME = 50_000_000
BOUND = 104_857_600
FILLING = 4
"""The halves of so many fit into the bound, and no other half does after them."""
SENDERS = 20
MIB = 1 << 20


def resident_bytes(pid):
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_halves_of_large_requests_do_not_fill_the_memory():
    half = FRAME.to_bytes(4, "big") + bytes(FRAME // 2)
    config = {"queued.max.request.bytes": str(BOUND)}
    with Cluster(nodes=1, config=config) as cluster, contextlib.ExitStack() as held:
        producer = Producer({"bootstrap.servers": cluster.bootstrap_servers, "linger.ms": 0})
        failures = []

        def produce():
            producer.produce("good", b"x" * 100, callback=lambda error, _: failures.append(error))
            assert producer.flush(30) == 0

        produce()
        before = resident_bytes(cluster.pid(1))
        senders = [
            held.enter_context(socket.create_connection(("127.0.0.1", cluster.port(1))))
            for _ in range(SENDERS)
        ]
        for sender in senders[:FILLING]:
            sender.sendall(half)
        sent = dict.fromkeys(senders[FILLING:], 0)
        for sender in sent:
            sender.setblocking(False)
        for _ in range(100):
            for sender, size in sent.items():
                with contextlib.suppress(BlockingIOError):
                    sent[sender] = size + sender.send(half[size : size + MIB])
            produce()
        # Data left in sockets is the system's memory.
        assert max(sent.values()) < len(half)
        assert resident_bytes(cluster.pid(1)) - before < 2 * BOUND
        assert failures == [None] * 101
        # Those that held the memory go: the others are read.
        for sender in senders[:FILLING]:
            sender.close()
        first = senders[FILLING]
        first.setblocking(True)
        first.settimeout(30)
        first.sendall(half[sent[first] :])
        produce()
