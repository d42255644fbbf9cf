"""One node with TLS: what it does with bad settings, and with clients that never finish."""

import socket
import ssl
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from minikafka.admin.client import BrokerConnection
from minikafka.admin.security import ClientSecurity
from minikafka.commands.connection import read_properties
from minikafka.config.ssl_keys import ssl_settings
from minikafka.messages.api_versions import ApiVersionsRequest
from minikafka.tls.blocking import secured_by
from tests.certificates import EXPIRED, Authority
from tests.integration.own_nodes import OwnNodes

HELD = 300
PLAIN_REQUEST = bytes.fromhex("0000000a 0012 0000 00000001 ffff")
MAX_GROWTH_MIB = 120
MAX_WAIT_S = 2.0


class OneNode(OwnNodes):
    """A node whose clients use TLS, and which has a listener without TLS, too."""

    def __init__(self, folder, authority, **config):
        self.authority = authority
        self.certificate = authority.issue("node")
        super().__init__(folder, 1, **config)

    def write(self, node, **changes):
        ports = [f"127.0.0.1:{self.base + each}" for each in (0, 50)]
        super().write(
            node,
            **{
                "listeners": f"SSL://{ports[0]},PLAIN://{ports[1]},CONTROLLER://"
                f"{self.controller(node)}",
                "inter.broker.listener.name": "PLAIN",
                "listener.security.protocol.map": "SSL:SSL,PLAIN:PLAINTEXT,CONTROLLER:PLAINTEXT",
                **self.certificate.client(),
                **self.authority.trusted(),
                "ssl.client.auth": "required",
                **changes,
            },
        )


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("ca"))


@pytest.fixture(scope="module")
def node(tmp_path_factory, authority):
    with OneNode(tmp_path_factory.mktemp("node"), authority) as nodes:
        nodes.format(1, "--standalone")
        nodes.start(1)
        yield nodes


def client_hello():
    sent = ssl.MemoryBIO()
    ends = ssl.create_default_context().wrap_bio(ssl.MemoryBIO(), sent, server_hostname="x")
    with pytest.raises(ssl.SSLWantReadError):
        ends.do_handshake()
    return sent.read()


def resident_mib(pid):
    status = Path(f"/proc/{pid}/status").read_text()
    (line,) = [each for each in status.splitlines() if each.startswith("VmRSS")]
    return int(line.split()[1]) / 1024


@pytest.mark.parametrize(
    "kind", ["silent", "half a ClientHello", "a ClientHello", "a giant record", "garbage", "plain"]
)
def test_clients_that_never_finish_cost_others_little(node, tmp_path, kind):
    hello = client_hello()
    data = {
        "silent": b"",
        "half a ClientHello": hello[:60],
        "a ClientHello": hello,
        "a giant record": b"\x16\x03\x01\x40\x00\x01\x00\xff\xff" + bytes(16_380),
        "garbage": b"\x80\x55" * 1000,
        "plain": PLAIN_REQUEST,
    }[kind]
    host, port = node.server(1).split(":")
    path = tmp_path / "client.properties"
    values = {**node.certificate.client(), **node.authority.trusted()}
    path.write_text("".join(f"{name}={value}\n" for name, value in values.items()))
    secure = ClientSecurity(secured_by(ssl_settings(read_properties(path))))
    pid = node.processes[1].pid
    before_mib = resident_mib(pid)
    waits_s = []
    ended = threading.Event()

    def honest():
        with closing(BrokerConnection(host, int(port), "honest", 30, secure)) as client:
            while not ended.is_set():
                begun_s = time.monotonic()
                client.ask(ApiVersionsRequest())
                waits_s.append(time.monotonic() - begun_s)
                time.sleep(0.005)

    thread = threading.Thread(target=honest)
    thread.start()
    with ExitStack() as held:
        try:
            for _ in range(HELD):
                each = socket.create_connection((host, int(port)), timeout=30)
                held.callback(each.close)
                each.sendall(data)
            time.sleep(1)
        finally:
            ended.set()
            thread.join(30)
        assert max(waits_s) < MAX_WAIT_S
        assert resident_mib(pid) - before_mib < MAX_GROWTH_MIB
    # Another connection is served at once.
    BrokerConnection(host, int(port), "next", MAX_WAIT_S, secure).close()


def test_tls_on_a_plain_listener_is_named_in_the_log(node):
    with (
        socket.create_connection(("127.0.0.1", node.base + 50), timeout=30) as client,
        pytest.raises((ssl.SSLError, ConnectionResetError)),
    ):
        ssl.create_default_context().wrap_socket(client, server_hostname="127.0.0.1")
    node.await_log(1, "it begins as TLS does, which this listener has not")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"ssl.keystore.location": None, "ssl.keystore.type": None}, "location: is missing"),
        ({"ssl.keystore.location": "/no/such"}, "/no/such: cannot be read: No such file"),
        ({"ssl.keystore.type": "PKCS12"}, "ssl.keystore.location: needs ssl.keystore.password"),
        ({"ssl.keystore.password": "sesame"}, "password: must not be given for type PEM"),
        ({"ssl.truststore.location": "/no/such"}, "/no/such: cannot be read: No such file"),
        ({"ssl.client.auth": "sometimes"}, "ssl.client.auth: invalid value 'sometimes'"),
        ({"ssl.cipher.suites": "TLS_NOT_A_SUITE"}, "TLS_NOT_A_SUITE is not a known suite"),
        ({"ssl.principal.mapping.rules": "RULE:(/x/"}, "'(' is not a regular expression"),
        ({"inter.broker.listener.name": "SSL", "expired": True}, "certificate has expired on"),
    ],
)
def test_a_node_with_bad_settings_does_not_start(tmp_path, authority, changes, words):
    with OneNode(tmp_path, authority) as nodes:
        nodes.format(1, "--standalone")
        if changes.pop("expired", False):
            expired = authority.issue("expired", validity=EXPIRED)
            changes["ssl.keystore.location"] = expired.path
        nodes.write(1, **changes)
        command = [sys.executable, "-m", "minikafka", "server-start", str(nodes.file(1))]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode in (1, 2)
    (line,) = [each for each in done.stderr.splitlines() if words in each]
    assert "Traceback" not in done.stderr
    assert "sesame" not in done.stderr
