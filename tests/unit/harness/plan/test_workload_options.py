import pytest

from minikafka.harness.plan.workload_options import CLIENTS, WorkloadOptions


def test_valid_options_have_no_problems():
    """S1."""
    assert WorkloadOptions().problems() == []
    for client in CLIENTS:
        chosen = WorkloadOptions(clients=(client, client), acks="1", idempotent=False, key_skew=1.2)
        assert chosen.problems() == []


@pytest.mark.parametrize(
    ("choice", "problem"),
    [
        ({"clients": ("curl",)}, "Unknown client 'curl'; expected one of confluent-kafka, "),
        ({"clients": ()}, "The number of producers is 0"),
        ({"acks": "2", "idempotent": False}, "acks is '2'"),
        ({"acks": "1"}, "An idempotent producer needs acks=all, but acks is 1."),
        ({"size_min_bytes": 9, "size_max_bytes": 8}, "--size-min is 9 and --size-max is 8, but"),
        ({"size_min_bytes": -1}, "--size-min is -1"),
        ({"key_skew": 6.0}, "The key skew is 6, but must"),
        (
            {"clients": ("aiokafka",) * 33},
            "The number of producers is 33, but must lie between 1 and 32",
        ),
        ({"size_max_bytes": 1 << 21}, "--size-min is 60 and --size-max is 2097152"),
        ({"compression": "rar"}, "The compression is 'rar', but must be one of none, gzip"),
        ({"size_distribution": "normal"}, "The distribution of sizes is 'normal'"),
        ({"bytes_per_s": -1}, "--bytes is -1"),
        ({"transactions": True, "idempotent": False}, "Transactions need idempotence."),
        (
            {"client_commands": ("python3 x",), "transactions": True},
            "--client-command cannot be used with --transactions.",
        ),
        (
            {"client_commands": ("./absent -v", "./absent -v")},
            "--client-command './absent -v': there is no program './absent', or it cannot be",
        ),
        ({"client_commands": ("x 'y",)}, '--client-command "x \'y" is not a command line: No clos'),
        ({"client_commands": (" ",)}, "--client-command is empty"),
        (
            {"client_commands": ("python3",) * 31},
            "The number of producers is 33, but must lie between 1 and 32",
        ),
    ],
)
def test_an_impossible_option_is_named(choice, problem):
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
        (
            {"clients": (), "client_commands": ("a b", "c")},
            "--client-command a b --client-command c",
        ),
        (
            {"client_commands": ("c",)},
            "--client confluent-kafka --client aiokafka --client-command c",
        ),
    ],
)
def test_the_command_line_that_gives_a_choice(choice, words):
    assert " ".join(WorkloadOptions(**choice).words()) == words


def test_a_command_is_a_producer_named_by_its_program():
    """Issue 51."""
    options = WorkloadOptions(clients=("aiokafka",), client_commands=("/opt/my\\ client -v", "go"))
    assert options.producers == [
        ("aiokafka", ""),
        ("my client", "/opt/my\\ client -v"),
        ("go", "go"),
    ]


def test_large_records_are_allowed_for():
    assert WorkloadOptions().message_max_bytes == 1_000_000
    assert WorkloadOptions(size_max_bytes=1 << 20).message_max_bytes > (1 << 20) + 100
