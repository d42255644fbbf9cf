"""Limits on open connections and on how fast they come, in a time that a test sets."""

import pytest

from minikafka.server.connection_quotas import ConnectionQuotas, ListenerLimits


@pytest.fixture
def now():
    return [50.0]


@pytest.fixture
def quotas(now):
    return ConnectionQuotas(lambda: now[0])


def take(quotas, listener="A", *, is_of_nodes=False, most=100):
    """How many connections are taken before the listener waits."""
    for number in range(most):
        if quotas.wait_s(listener, is_of_nodes=is_of_nodes):
            return number
        quotas.entered(listener)
        quotas.count_rate(listener, is_of_nodes=is_of_nodes)
    return most


def test_nothing_is_limited_at_first(quotas):
    assert take(quotas) == 100


def test_the_total_counts_all_listeners_and_holds_for_clients(quotas):
    quotas.limit(ListenerLimits(total=5), {})
    assert take(quotas, "NODES", is_of_nodes=True, most=3) == 3
    assert take(quotas, "A") == 2
    assert take(quotas, "NODES", is_of_nodes=True) == 100
    for _ in range(101):
        quotas.left("NODES")
    assert take(quotas, "B") == 1
    assert list(quotas.waiting) == ["A", "B"]


def test_a_listener_may_have_limits_of_its_own(quotas):
    quotas.limit(ListenerLimits(), {"A": ListenerLimits(total=2), "N": ListenerLimits(total=3)})
    assert take(quotas, "A") == 2
    assert take(quotas, "N", is_of_nodes=True) == 3
    assert take(quotas, "B") == 100


def test_a_rate_allows_ten_seconds_at_once(quotas, now):
    quotas.limit(ListenerLimits(rate=2), {})
    assert take(quotas) == 20
    assert take(quotas, "N", is_of_nodes=True) == 100
    now[0] += 1.4
    assert take(quotas) == 2
    now[0] += 0.11
    assert take(quotas) == 1
    now[0] += 1000
    assert take(quotas) == 20


def test_a_rate_of_a_listener_holds_for_nodes_too(quotas, now):
    quotas.limit(ListenerLimits(rate=100), {"N": ListenerLimits(rate=1)})
    assert take(quotas, "N", is_of_nodes=True) == 10
    # The same limits again: nothing is forgiven.
    quotas.limit(ListenerLimits(rate=100), {"N": ListenerLimits(rate=1)})
    assert take(quotas, "N", is_of_nodes=True) == 0
    quotas.limit(ListenerLimits(), {"N": ListenerLimits(rate=0)})
    now[0] += 1000
    assert take(quotas, "N", is_of_nodes=True) == 0
