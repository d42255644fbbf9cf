"""The principal of a connection with a certificate."""

from minikafka.common.clock import Now
from minikafka.common.effects import Disconnect
from minikafka.common.events import AuthenticationFailed, ConnectionClosed, ConnectionOpened
from minikafka.common.principal import ANONYMOUS, KafkaPrincipal
from minikafka.metrics import catalog
from minikafka.node.metrics import node_samples
from minikafka.security.ssl_principal import SslPrincipalMapper
from tests.worlds.sim_world import started_cluster

NUMBER = 1_000_000


def opened(node, certificate_name):
    """The effects, and the principal, of a new connection."""
    now = Now(node.env.clock.monotonic_ms, 0)
    effects = node.step(ConnectionOpened(NUMBER, "PLAINTEXT", "1.2.3.4", certificate_name), now)
    connection = node.dispatcher.connections.get(NUMBER)
    node.step(ConnectionClosed(NUMBER), now)
    return effects, None if connection is None else connection.principal


def failures(node):
    return {
        each.labels: each.value
        for each in node_samples(node)
        if each.metric is catalog.FAILED_LOGINS
    }


def test_rules_make_the_principal(caplog):
    node = started_cluster(1).nodes[1].node
    assert opened(node, None)[1] == ANONYMOUS
    # A listener without a mapping, such as one with SASL_SSL, ignores the certificate.
    assert opened(node, "CN=joe")[1] == ANONYMOUS
    node.ssl_principals = {"PLAINTEXT": SslPrincipalMapper("RULE:CN=(.*)/$1/U")}
    assert opened(node, "CN=joe")[1] == KafkaPrincipal("User", "JOE")
    assert opened(node, None)[1] == ANONYMOUS
    before = failures(node)["PLAINTEXT",]
    effects, principal = opened(node, "O=x")
    assert principal is None
    assert Disconnect(NUMBER) in effects
    assert "ssl.principal.mapping.rules: no rule applies to O=x" in caplog.text
    assert failures(node)["PLAINTEXT",] == before + 1


def test_failed_handshakes_are_counted_by_listener():
    node = started_cluster(1).nodes[1].node
    for _ in range(2):
        node.step(AuthenticationFailed("CONTROLLER"), Now(node.env.clock.monotonic_ms, 0))
    assert failures(node) == {("PLAINTEXT",): 0, ("INTERNAL",): 0, ("CONTROLLER",): 2}
