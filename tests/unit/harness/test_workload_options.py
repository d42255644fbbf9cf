import pytest

from minikafka.harness.workload_options import CLIENTS, WorkloadOptions


def test_what_can_be_chosen_has_no_problems():
    """S1."""
    assert WorkloadOptions().problems() == []
    for client in CLIENTS:
        chosen = WorkloadOptions(clients=(client, client), acks="1", idempotent=False, key_skew=1.2)
        assert chosen.problems() == []


@pytest.mark.parametrize(
    ("choice", "problem"),
    [
        ({"clients": ("curl",)}, "'curl' is no client; there are confluent-kafka, "),
        ({"clients": ()}, "At least one client"),
        ({"acks": "2", "idempotent": False}, "acks is '2'"),
        ({"acks": "1"}, "An idempotent producer needs acks=all, and acks is 1."),
        ({"size_min_bytes": 9, "size_max_bytes": 8}, "Sizes from 9 to 8 bytes"),
        ({"size_min_bytes": -1}, "Sizes from -1"),
        ({"key_skew": 6.0}, "The key skew is 6.0"),
    ],
)
def test_a_choice_that_cannot_be_is_named(choice, problem):
    [found] = WorkloadOptions(**choice).problems()
    assert found.startswith(problem)
