"""The addresses by which this machine reaches the nodes of a cluster for tests."""

from minikafka.testing.addresses import local_servers


def test_servers_are_reached_at_their_addresses_here():
    servers = "kafka:9092,[2001:db8::1]:9093,other:9094"
    assert local_servers(servers, {}) == servers
    hosts = {"kafka": "::1", "2001:db8::1": "127.0.0.1"}
    assert local_servers(servers, hosts) == "[::1]:9092,127.0.0.1:9093,other:9094"
