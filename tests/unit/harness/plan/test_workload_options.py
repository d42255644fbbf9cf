import pytest

from minikafka.harness.plan.workload_options import CLIENTS, WorkloadOptions


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
        ({"key_skew": 6.0}, "The key skew is 6, and must"),
        ({"clients": ("aiokafka",) * 33}, "At least one client must write, and at most 32"),
        ({"size_max_bytes": 1 << 21}, "Sizes from 60 to 2097152 bytes"),
        ({"compression": "rar"}, "The compression is 'rar', and must be one of none, gzip"),
        ({"size_distribution": "normal"}, "The distribution of sizes is 'normal'"),
        ({"bytes_per_s": -1}, "--bytes is -1"),
        ({"transactions": True, "idempotent": False}, "Transactions need idempotence."),
    ],
)
def test_a_choice_that_cannot_be_is_named(choice, problem):
    [found] = WorkloadOptions(**choice).problems()
    assert found.startswith(problem)


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ({}, ""),
        ({"clients": ("aiokafka", "aiokafka")}, "--client aiokafka --client aiokafka"),
        ({"acks": "1", "idempotent": False}, "--acks 1"),
        ({"idempotent": False}, "--idempotence off"),
        ({"transactions": True, "compression": "lz4"}, "--compression lz4 --transactions"),
        (
            {"size_min_bytes": 1, "size_max_bytes": 9, "size_distribution": "log-uniform"},
            "--size-min 1 --size-max 9 --size-distribution log-uniform",
        ),
        ({"key_skew": 0.5, "bytes_per_s": 7}, "--key-skew 0.5 --bytes 7"),
    ],
)
def test_the_command_line_that_gives_a_choice(choice, words):
    assert " ".join(WorkloadOptions(**choice).words()) == words


def test_large_records_are_allowed_for():
    assert WorkloadOptions().message_max_bytes == 1_000_000
    assert WorkloadOptions(size_max_bytes=1 << 20).message_max_bytes > (1 << 20) + 100
