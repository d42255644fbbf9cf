"""The host of a cluster, by the names of this machine and of other clients."""

import pytest

from minikafka.dev.client_host import ClientHost, HostError, check_host


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


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("127.0.0.1", None), ClientHost("127.0.0.1")),
        (("0.0.0.0", "kafka"), ClientHost("0.0.0.0", "kafka")),
        (("0:0:0:0:0:0:0:0", "kafka"), ClientHost("::", "kafka")),
        (("::1", "my_host.example"), ClientHost("::1", "my_host.example")),
        (("localhost", "192.0.2.7"), ClientHost("localhost", "192.0.2.7")),
        (("kafka.1", "My-Host.123."), ClientHost("kafka.1", "My-Host.123.")),
        (("::ffff:127.0.0.1", None), ClientHost("127.0.0.1")),
    ],
)
def test_names_and_addresses_are_taken(given, expected):
    assert check_host(*given) == expected


ALONE = "expected a name or an address alone: no port, bracket, slash, comma or blank"


@pytest.mark.parametrize("wrong", [0, None, b"::1", ["a"]])
def test_what_is_no_text_is_refused(wrong):
    with pytest.raises(HostError) as refused:
        check_host(wrong, None)
    assert str(refused.value) == f"host={wrong!r}: {ALONE}"


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        " ",
        "a b",
        "kafka ",
        "a,b",
        "kafka:9092",
        "[::1]",
        "[::1]:9092",
        "::1:x",
        "tcp://kafka",
        "a\0b",
    ],
)
def test_what_is_no_single_host_is_refused(wrong):
    for given in ({"host": wrong}, {"advertised_host": wrong}):
        (name,) = given
        with pytest.raises(HostError) as refused:
            check_host(**{"host": "127.0.0.1", "advertised_host": None, **given})
        assert str(refused.value) == f"{name}={wrong!r}: {ALONE}"


@pytest.mark.parametrize("every", ["0.0.0.0", "::", "::0", "::ffff:0.0.0.0"])
def test_all_addresses_need_a_name_for_clients(every):
    with pytest.raises(HostError) as refused:
        check_host(every, None)
    assert str(refused.value) == (
        f"host={every!r}: clients cannot connect to it; add advertised_host, the name by "
        "which they reach this host"
    )
    with pytest.raises(HostError) as refused:
        check_host("127.0.0.1", every)
    assert str(refused.value) == (
        f"advertised_host={every!r}: clients cannot connect to it; give the name by which "
        "they reach this host"
    )
    assert check_host(every, "kafka").advertised == "kafka"


@pytest.mark.parametrize(
    "wrong", ["0", "127.1", "1.2.3.256", "0.0.0.0.", "0x7f000001", "127.0.0.0x1"]
)
def test_what_a_resolver_takes_for_another_address_is_refused(wrong):
    with pytest.raises(HostError, match="neither a name nor an address in full"):
        check_host(wrong, None)


@pytest.mark.parametrize("wrong", ["fe80::1%eth0", "::1%lo"])
def test_a_zone_is_refused(wrong):
    with pytest.raises(HostError, match="an address with a zone is not served"):
        check_host(wrong, "kafka")


@pytest.mark.parametrize("wrong", ["255.255.255.255", "224.0.0.1", "ff02::1", "::ffff:224.0.0.1"])
def test_what_is_not_the_address_of_one_host_is_refused(wrong):
    with pytest.raises(HostError, match="no single host has this address"):
        check_host(wrong, None)
