"""Which hosts a cluster for tests may be given, and what is refused."""

import pytest

from minikafka.dev.client_host import ClientHost
from minikafka.testing import ClusterError
from minikafka.testing.addresses import check_host, local_servers


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("127.0.0.1", None), ClientHost("127.0.0.1")),
        (("0.0.0.0", "kafka"), ClientHost("0.0.0.0", "kafka")),
        (("0:0:0:0:0:0:0:0", "kafka"), ClientHost("::", "kafka")),
        (("::1", "my_host.example"), ClientHost("::1", "my_host.example")),
        (("localhost", "192.0.2.7"), ClientHost("localhost", "192.0.2.7")),
    ],
)
def test_names_and_addresses_are_taken(given, expected):
    assert check_host(*given) == expected


ALONE = "expected a name or an address alone: no port, bracket, slash, comma or blank"


@pytest.mark.parametrize("wrong", [0, None, b"::1", ["a"]])
def test_what_is_no_text_is_refused(wrong):
    with pytest.raises(ClusterError) as refused:
        check_host(wrong, None)
    assert str(refused.value) == f"host={wrong!r}: {ALONE}"


@pytest.mark.parametrize(
    "wrong",
    ["", " ", "a b", "kafka ", "a,b", "kafka:9092", "[::1]", "[::1]:9092", "::1:x", "tcp://kafka"],
)
def test_what_is_no_single_host_is_refused(wrong):
    for given in ({"host": wrong}, {"advertised_host": wrong}):
        (name,) = given
        with pytest.raises(ClusterError) as refused:
            check_host(**{"host": "127.0.0.1", "advertised_host": None, **given})
        assert str(refused.value) == f"{name}={wrong!r}: {ALONE}"


@pytest.mark.parametrize("every", ["0.0.0.0", "::", "::0"])
def test_all_addresses_need_a_name_for_clients(every):
    with pytest.raises(ClusterError) as refused:
        check_host(every, None)
    assert str(refused.value) == (
        f"host={every!r}: add advertised_host, the name by which clients reach this host"
    )
    with pytest.raises(ClusterError) as refused:
        check_host("127.0.0.1", every)
    assert str(refused.value) == (
        f"advertised_host={every!r}: clients cannot connect to it; give the name by which they "
        "reach this host"
    )


def test_servers_are_reached_at_their_addresses_here():
    servers = "kafka:9092,[2001:db8::1]:9093,other:9094"
    assert local_servers(servers, {}) == servers
    hosts = {"kafka": "::1", "2001:db8::1": "127.0.0.1"}
    assert local_servers(servers, hosts) == "[::1]:9092,127.0.0.1:9093,other:9094"
