"""Addresses of servers as text."""

from minikafka.common.addresses import server_text


def test_an_ipv6_address_is_in_brackets():
    assert server_text("::1", 9092) == "[::1]:9092"
    assert server_text("kafka", 9092) == "kafka:9092"
