"""The host of a cluster, by the names of this machine and of other clients."""

import pytest

from minikafka.dev.client_host import ClientHost, server_text


@pytest.mark.parametrize(
    ("host", "advertised", "local", "hosts"),
    [
        (ClientHost(), "127.0.0.1", "127.0.0.1", {}),
        (ClientHost("192.0.2.7"), "192.0.2.7", "192.0.2.7", {}),
        (ClientHost("0.0.0.0", "kafka"), "kafka", "127.0.0.1", {"kafka": "127.0.0.1"}),
        (ClientHost("::", "kafka"), "kafka", "::1", {"kafka": "::1"}),
        (ClientHost("::1", "kafka"), "kafka", "::1", {"kafka": "::1"}),
        (ClientHost("0.0.0.0", "127.0.0.1"), "127.0.0.1", "127.0.0.1", {}),
    ],
)
def test_clients_here_and_elsewhere_have_their_own_address(host, advertised, local, hosts):
    assert (host.advertised, host.local, host.hosts) == (advertised, local, hosts)


def test_an_ipv6_address_is_in_brackets():
    assert server_text("::1", 9092) == "[::1]:9092"
    assert server_text("kafka", 9092) == "kafka:9092"
