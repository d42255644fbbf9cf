"""S3: cuts, latency, loss and bandwidth between processes, by a proxy that knows sources."""

import contextlib
import gc
import os
import random
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, closing

import pytest

from minikafka.harness.clusters import proxy
from minikafka.harness.clusters.network import OUTSIDE
from minikafka.harness.clusters.proxy import ProxyNetwork, ProxyRules, sources_of

ECHO = """
import socket, sys, threading
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
def serve(peer):
    while data := peer.recv(65536):
        peer.sendall(data)
    peer.close()
while True:
    threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
"""
NODE, OTHER = 1, 2


@pytest.fixture
def echo():
    process = subprocess.Popen([sys.executable, "-c", ECHO], stdout=subprocess.PIPE, text=True)
    with process.stdout:
        yield process.pid, int(process.stdout.readline())
        process.kill()
        process.wait()


@pytest.fixture
def network(echo):
    """Node 1 is the echo; this process is node 2 when `me` has it."""
    pid, port = echo
    me = {}
    proxies = ProxyNetwork(lambda: {NODE: pid, **me})
    proxies.me = me
    proxies.open({NODE: [port]})
    proxies.port = port
    yield proxies
    proxies.close()


def connect(network):
    address = network.placement.advertised(NODE, network.port)
    return closing(socket.create_connection(address, timeout=20))


def ask(link, data=b"x"):
    link.sendall(data)
    return exactly(link, len(data))


def exactly(link, count):
    data = b""
    while len(data) < count and (piece := link.recv(count - len(data))):
        data += piece
    return data


def is_silent(link):
    link.settimeout(0.2)
    try:
        return not link.recv(1)
    except TimeoutError:
        return True
    finally:
        link.settimeout(20)


def test_data_and_the_end_of_a_stream_arrive(network):
    data = random.Random(1).randbytes(500_000)
    with connect(network) as link:
        threading.Thread(target=link.sendall, args=(data,)).start()
        assert exactly(link, len(data)) == data
        link.shutdown(socket.SHUT_WR)
        assert link.recv(1) == b""


@pytest.mark.parametrize("cut", [(OUTSIDE, NODE), (NODE, OUTSIDE)])
def test_a_cut_holds_back_one_direction_until_it_is_healed(network, cut):
    with connect(network) as link:
        assert ask(link) == b"x"
        network.cut(*cut)
        network.cut(*cut)
        link.sendall(b"held")
        assert is_silent(link)
        network.join(*cut)
        assert is_silent(link)
        network.join(*cut)
        assert exactly(link, 4) == b"held"


def test_a_connection_that_is_made_during_a_cut_waits(network):
    network.cut(NODE, OUTSIDE)
    with connect(network) as link:
        link.sendall(b"late")
        assert is_silent(link)
        network.join(NODE, OUTSIDE)
        assert exactly(link, 4) == b"late"


def test_a_cut_between_others_does_not_touch_us(network):
    network.me[OTHER] = os.getpid()
    network.cut(OUTSIDE, NODE)
    network.cut(NODE, OUTSIDE)
    with connect(network) as link:
        assert ask(link) == b"x"
        network.cut(OTHER, NODE)
        link.sendall(b"y")
        assert is_silent(link)


def test_a_node_that_is_gone_ends_its_connections(network, echo):
    with connect(network) as link:
        assert ask(link) == b"x"
        os.kill(echo[0], 9)
        assert link.recv(1) == b""
    with connect(network) as link:
        assert link.recv(1) == b""


def test_latency_is_added_in_both_directions_and_ends(network):
    with connect(network) as link:
        assert ask(link) == b"x"
        network.shape(NODE, "slow-node", 60)
        began = time.monotonic()
        assert ask(link) == b"x"
        assert time.monotonic() - began >= 0.12
        network.shape(NODE, "slow-node", 0)
        assert network._rules.latency_s == {}


def test_a_narrow_line_takes_its_time(network):
    network.shape(NODE, "bandwidth", 800)
    with connect(network) as link:
        began = time.monotonic()
        # 10 kB there and 10 kB back, at 100 kB a second.
        assert len(ask(link, b"z" * 10_000)) == 10_000
        assert time.monotonic() - began >= 0.19


def test_lost_pieces_arrive_after_the_shortest_retransmission_time():
    rules = ProxyRules(loss={1: 1.0})
    assert rules.due((2, 1), 5.0, 10) == pytest.approx(5.2)
    assert rules.due((2, 3), 5.0, 10) == 5.0
    rules = ProxyRules(latency_s={1: 0.5, 2: 0.25})
    assert rules.due((2, 1), 5.0, 10) == 5.75


def test_a_line_is_busy_until_earlier_data_has_passed():
    rules = ProxyRules(bits_per_s={1: 80.0})
    assert [rules.due((1, 2), 0.0, 10), rules.due((3, 1), 0.5, 10)] == [1.0, 2.0]


def test_connections_are_known_by_the_processes_that_have_them():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with ExitStack() as links:
            ours = [
                links.enter_context(
                    closing(socket.create_connection(("127.0.0.1", port)))
                ).getsockname()[1]
                for _ in range(3)
            ]
            asked = [(each, port) for each in ours] + [(1, port)]
            assert sources_of({7: os.getpid()}, asked) == [7, 7, 7, OUTSIDE]
            assert sources_of({7: 2**22 + 1}, asked) == [OUTSIDE] * 4


def test_sources_are_not_identified_while_there_is_no_fault(network, monkeypatch):
    """It takes milliseconds, and clients of dead brokers reconnect hundreds of times a second."""
    asked = []

    def outside_only(_, ports):
        asked.append(list(ports))
        return [OUTSIDE] * len(ports)

    monkeypatch.setattr(proxy, "sources_of", outside_only)
    with connect(network) as before, connect(network) as other:
        assert ask(before) == ask(other) == b"x"
        assert asked == []
        network.cut(OTHER, NODE)
        assert ask(before) == ask(before) == b"x"
        assert {at for ports in asked for at in ports} == {
            (before.getsockname()[1], before.getpeername()[1])
        }
        before_count = len(asked)
        network.join(OTHER, NODE)
        assert ask(other) == b"x"
        assert len(asked) == before_count


def test_nothing_is_left_open_at_the_end(network):
    """Neither for unread bytes nor for a connection of the last moment."""
    with connect(network) as unread, connect(network) as silent:
        unread.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while True:
                unread.send(bytes(1 << 16))
        network.cut(OUTSIDE, NODE)
        with connect(network) as late:
            network.close()
            for link in (silent, late):
                with contextlib.suppress(ConnectionResetError):
                    assert link.recv(1) == b""
    # A socket that is still open warns when it is collected, and that fails the test.
    gc.collect()
