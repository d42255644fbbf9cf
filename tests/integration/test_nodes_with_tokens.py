"""Nodes that log in to one another with signed tokens, which are replaced while they run."""

import re
import subprocess
import sys
import time

import pytest

from minikafka.config.sasl_keys import SIGNED_VALIDATORS, TOKEN_LOGINS
from tests.integration.own_nodes import ROOT, OwnNodes, tool
from tests.unit.security.signed_tokens import entry, key_set, signed

_LIFETIME_S = 15
_MODULE = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;"
_URL = "sasl.oauthbearer.token.endpoint.url"


class _TokenNodes(OwnNodes):
    """All listeners accept signed tokens only; each node has one in a file."""

    def write(self, node, **changes):
        super().write(node, **changes)
        listeners = f"SASL_PLAINTEXT://{self.server(node)},CONTROLLER://{self.controller(node)}"
        values = {
            "listeners": listeners,
            "listener.security.protocol.map": "SASL_PLAINTEXT:SASL_PLAINTEXT,CONTROLLER:SASL_PLAINTEXT",
            "security.inter.broker.protocol": "SASL_PLAINTEXT",
            "sasl.enabled.mechanisms": "OAUTHBEARER",
            "sasl.mechanism.inter.broker.protocol": "OAUTHBEARER",
            "sasl.mechanism.controller.protocol": "OAUTHBEARER",
            "sasl.oauthbearer.jwks.endpoint.url": (self.folder / "jwks.json").as_uri(),
            "sasl.oauthbearer.clock.skew.seconds": 0,
            _URL: self.token.as_uri(),
        }
        for listener in ("sasl_plaintext", "controller"):
            own = f"listener.name.{listener}.oauthbearer."
            values |= {
                f"{own}sasl.jaas.config": _MODULE,
                f"{own}sasl.server.callback.handler.class": SIGNED_VALIDATORS[0],
                f"{own}sasl.login.callback.handler.class": TOKEN_LOGINS[0],
            }
        with self.file(node).open("a") as file:
            file.writelines(f"{name}={value}\n" for name, value in values.items())

    @property
    def token(self):
        return self.folder / "token.jwt"

    def new_token(self, lifetime_s, name="p256"):
        now_s = int(time.time())
        new = self.folder / "new.jwt"
        new.write_text(signed({"sub": "node", "iat": now_s - 1, "exp": now_s + lifetime_s}, name))
        new.rename(self.token)


@pytest.fixture
def nodes(tmp_path):
    with _TokenNodes(tmp_path, 2) as nodes:
        (tmp_path / "jwks.json").write_text(key_set(entry("p256")))
        yield nodes


def _create_topic(nodes, name):
    properties = nodes.folder / "client.properties"
    properties.write_text(
        "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=OAUTHBEARER\n"
        f"sasl.jaas.config={_MODULE}\nsasl.login.callback.handler.class={TOKEN_LOGINS[0]}\n"
        f"{_URL}={nodes.token.as_uri()}\n"
    )
    tool(
        "kafka-topics", "--bootstrap-server", nodes.servers, "--command-config", properties,
        "--create", "--topic", name, "--partitions", "1", "--replication-factor", "2",
    )  # fmt: skip


def _refused_logins(nodes):
    return re.findall(r".*(?:cannot log in|failed login).*", nodes.log_text(1) + nodes.log_text(2))


def test_a_new_token_is_used_before_the_old_one_ends(nodes):
    nodes.new_token(_LIFETIME_S)
    end_s = time.time() + _LIFETIME_S
    for node in (1, 2):
        nodes.format(node, "--initial-controllers", nodes.voters(1, 2))
    nodes.start(1, 2)
    _create_topic(nodes, "first")
    nodes.new_token(300)
    time.sleep(max(0.0, end_s + 1 - time.time()))
    _create_topic(nodes, "second")
    assert _refused_logins(nodes) == []
    # One that another issuer has signed is refused, and that is said.
    nodes.new_token(300, "other")
    nodes.kill(2)
    nodes.start(2, wait=False)
    nodes.await_log(2, r"cannot log in to \S+: .*invalid_token")
    nodes.new_token(300)
    nodes.await_log(2, r"node 2 serves")


def test_a_start_without_a_token(nodes):
    nodes.format(1, "--initial-controllers", nodes.voters(1))
    done = subprocess.run(
        [sys.executable, str(ROOT / "bin" / "kafka-server-start.py"), str(nodes.file(1))],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode != 0
    assert f"{_URL}: {nodes.token}: cannot be read: No such file or directory" in done.stderr
    assert "Traceback" not in done.stderr
