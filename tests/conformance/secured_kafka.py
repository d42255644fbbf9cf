"""One node of Apache Kafka with an authorizer, and clients that log in to it.

Administrators use listeners without authentication and are User:ANONYMOUS, a super user. User:mallory
logs in with SASL/PLAIN: on a listener of the broker for clients, on that of brokers, and on one of
the controller.
"""

import os
import struct
import subprocess
import tempfile
import time
from pathlib import Path

from minikafka.admin.client import BrokerConnection
from minikafka.config.authorizer_keys import STANDARD_AUTHORIZER
from minikafka.messages.metadata import MetadataRequest
from tests.conformance.authorization_play import CLIENTS, CONTROLLERS, NODES

ORACLE = Path(os.environ.get("MINIKAFKA_ORACLE", "."))
HOST = "127.0.0.1"
USER, PASSWORD = "mallory", "secret"
_CLUSTER_ID = "MkU3OEVBNTcwNTJENDM2Qg"
_MODULE = "org.apache.kafka.common.security.plain.PlainLoginModule required"
_JAAS = f'{_MODULE} user_{USER}="{PASSWORD}";'
_JAAS_OF_NODES = (
    f'{_MODULE} username="node" password="node" user_node="node" user_{USER}="{PASSWORD}";'
)


class SecuredKafka:
    """A node that is broker and controller; a context manager."""

    def __init__(self, base_port, more=None):
        """Take the first of five ports, and more properties."""
        self._more = more or {}
        self.port, self.controller_port, self.login_port, *others = range(base_port, base_port + 5)
        self.controller_login_port, self.node_port = others
        self._home = tempfile.TemporaryDirectory(prefix="secured-kafka-")

    def __enter__(self):
        home = Path(self._home.name)
        properties = home / "server.properties"
        properties.write_text("".join(f"{key}={value}\n" for key, value in self._values(home)))
        run = ORACLE / "kafka-run-class"
        subprocess.run(
            [run, "kafka.tools.StorageTool", "format", "-t", _CLUSTER_ID, "-c", properties],
            check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        with (home / "out").open("w") as out:
            self._process = subprocess.Popen(
                [run, "kafka.Kafka", properties], stdout=out, stderr=subprocess.STDOUT
            )
        deadline_s = time.monotonic() + 60
        while True:
            try:
                connection = self.admin()
                has_broker = bool(connection.ask(MetadataRequest([]), 9).brokers)
                connection.close()
                if has_broker:
                    return self
                time.sleep(0.2)
            except OSError:
                if time.monotonic() > deadline_s:
                    print((home / "out").read_text()[-3000:])
                    self.__exit__()
                    raise
                time.sleep(0.5)

    def _values(self, home):
        listeners = {
            "BROKER": self.port, "CLIENTS": self.login_port, "CONTROLLER": self.controller_port,
            "GUARDED": self.controller_login_port, "NODES": self.node_port,
        }  # fmt: skip
        text = ",".join(f"{name}://{HOST}:{port}" for name, port in listeners.items())
        yield from {
            "process.roles": "broker,controller",
            "node.id": 1,
            "controller.quorum.voters": f"1@{HOST}:{self.controller_port}",
            "listeners": text,
            "advertised.listeners": text,
            "inter.broker.listener.name": "NODES",
            "sasl.mechanism.inter.broker.protocol": "PLAIN",
            "controller.listener.names": "CONTROLLER,GUARDED",
            "listener.security.protocol.map": (
                "BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT,CLIENTS:SASL_PLAINTEXT,"
                "GUARDED:SASL_PLAINTEXT,NODES:SASL_PLAINTEXT"
            ),
            "sasl.enabled.mechanisms": "PLAIN",
            "listener.name.clients.plain.sasl.jaas.config": _JAAS,
            "listener.name.guarded.plain.sasl.jaas.config": _JAAS,
            "listener.name.nodes.plain.sasl.jaas.config": _JAAS_OF_NODES,
            "authorizer.class.name": STANDARD_AUTHORIZER,
            "super.users": "User:ANONYMOUS;User:node",
            "log.dirs": home / "data",
            "offsets.topic.replication.factor": 1,
            "offsets.topic.num.partitions": 1,
            "transaction.state.log.replication.factor": 1,
            "transaction.state.log.num.partitions": 1,
            "transaction.state.log.min.isr": 1,
            "share.coordinator.state.topic.replication.factor": 1,
            "share.coordinator.state.topic.min.isr": 1,
            "group.initial.rebalance.delay.ms": 0,
            **self._more,
        }.items()

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait(60)
        self._home.cleanup()

    def admin(self):
        """A connection that may do everything."""
        return BrokerConnection(HOST, self.port, "record", 30.0)

    def client(self, listener):
        """A connection of mallory to a listener of `authorization_play`."""
        ports = {
            CLIENTS: self.login_port, NODES: self.node_port, CONTROLLERS: self.controller_login_port
        }  # fmt: skip
        return LoggedIn(HOST, ports[listener], "record", 30.0)

    def alter_client_quotas(self, body):
        """Send an AlterClientQuotas request, v0, as administrator."""
        connection = RawConnection(HOST, self.port, "record", 30.0)
        answer = connection.told(49, 0, body)
        _, rows = struct.unpack_from(">ii", answer)
        assert rows, answer
        assert answer.count(b"\0\0\xff\xff") >= rows, answer
        connection.close()


class RawConnection(BrokerConnection):
    """A connection for requests that are no messages of minikafka."""

    def told(self, key, version, body):
        """Send a request without flexible fields; return the body of its response."""
        frame = struct.pack(">hhih", key, version, 1, -1) + body
        self._socket.sendall(struct.pack(">i", len(frame)) + frame)
        (size,) = struct.unpack(">i", self._exactly(4))
        return self._exactly(size)[4:]

    def _exactly(self, size):
        data = b""
        while len(data) < size:
            data += self._socket.recv(size - len(data))
        return data


class LoggedIn(RawConnection):
    """A connection that has logged in."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        mechanism = b"PLAIN"
        self._tell(17, 1, struct.pack(">h", len(mechanism)) + mechanism)
        token = f"\0{USER}\0{PASSWORD}".encode()
        self._tell(36, 1, struct.pack(">i", len(token)) + token)

    def _tell(self, key, version, body):
        (code,) = struct.unpack_from(">h", self.told(key, version, body))
        assert code == 0, f"the login failed with error {code}"
