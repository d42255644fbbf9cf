"""How much data the tests read: each count is stated here, so that missing data fails.

Adding a file means raising its count. `python -m tests.summary` prints the counts of a run.
"""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from minikafka.commands.scenario import NAMED

TESTS = Path(__file__).resolve().parent.parent
DATA = TESTS / "conformance" / "data"


class Evidence(NamedTuple):
    """Data of one kind: where it is read, how much there must be, and a count of what is there."""

    kind: str
    stated: int
    count: Callable[[], int]


def _files(folder: Path, pattern: str) -> Callable[[], int]:
    return lambda: sum(path.is_file() for path in folder.glob(pattern))


def _length(module: str, name: str) -> Callable[[], int]:
    """The length of a list of cases; its module is imported when it is counted."""
    return lambda: len(list(getattr(import_module(module), name)))


def _called(module: str, name: str) -> Callable[[], int]:
    return lambda: len(list(getattr(import_module(module), name)()))


def _steps_of_sequences() -> int:
    sequence = import_module("tests.golden.sequence")
    return sum(len(sequence.load(name).steps) for name in sequence.names())


def _rows_of_sequences() -> int:
    sequence = import_module("tests.golden.sequence")
    return sum(len(step.rows) for name in sequence.names() for step in sequence.load(name).steps)


def _lines(path: Path) -> Callable[[], int]:
    return lambda: len(path.read_text(encoding="utf-8").splitlines())


ALL = {
    "golden": (
        Evidence("golden sequences", 16, _called("tests.golden.sequence", "names")),
        Evidence("golden sequences played", 16, _called("tests.golden.playable", "possible")),
        Evidence("steps of golden sequences", 138, _steps_of_sequences),
        Evidence("rows that Apache Kafka showed", 418, _rows_of_sequences),
    ),
    "scenario": (
        Evidence("scenarios", 29, _files(NAMED, "*.txt")),
        Evidence("scenarios of golden sequences", 16, _files(NAMED / "golden", "*.txt")),
        Evidence("bugs that a scenario finds", 12, _length("tests.scenario.test_bugs", "BUGS")),
    ),
    "conformance": (
        Evidence("files of Apache Kafka's log directories", 82, _files(DATA / "kafka", "**/*")),
        Evidence("dumps by DumpLogSegments", 14, _files(DATA / "kafka", "*/*.dump.txt")),
        Evidence("snapshots of producers", 13, _files(DATA / "kafka", "*/*.snapshot")),
        Evidence("segments of __consumer_offsets", 1, _files(DATA / "consumer_offsets", "*.log")),
        Evidence("segments with ids of coordinators", 21, _files(DATA / "coordinators", "*.log")),
        Evidence("rows of partitions by Kafka", 100, _lines(DATA / "coordinator_partitions.txt")),
        Evidence("files with ACLs and quotas", 2, _files(DATA / "secured_metadata", "*")),
        Evidence("partition changes by Kafka", 1500, _lines(DATA / "partition_changes.txt")),
        Evidence(
            "compressed sections sent to Kafka",
            552,
            _length("tests.conformance.test_codec_frames", "CASES"),
        ),
        Evidence(
            "requests with and without rights sent to Kafka",
            105,
            _length("tests.conformance.authorization_cases", "CASES"),
        ),
        Evidence(
            "requests about client quotas sent to Kafka",
            61,
            _length("tests.conformance.quota_cases", "CASES"),
        ),
        Evidence(
            "requests about delegation tokens sent to Kafka",
            78,
            _length("tests.conformance.token_cases", "STEPS"),
        ),
        Evidence(
            "requests about ACLs sent to Kafka",
            48,
            _length("tests.conformance.acl_cases", "CASES"),
        ),
        Evidence(
            "configuration values sent to Kafka",
            570,
            _length("tests.conformance.test_config_values", "CASES"),
        ),
        Evidence(
            "requests of administrators",
            353,
            _length("tests.conformance.test_admin_answers", "DATA"),
        ),
        Evidence(
            "histories of assignments",
            800,
            _length("tests.conformance.test_assignments", "RECORDED"),
        ),
        Evidence(
            "sequences of group requests",
            70,
            _length("tests.conformance.test_group_sequences", "ANSWERS"),
        ),
        Evidence(
            "commands of the tools for groups",
            215,
            _length("tests.conformance.test_group_tool_cases", "DATA"),
        ),
        Evidence("operator commands", 69, _length("tests.conformance.test_operator_cases", "DATA")),
        Evidence(
            "transactional requests",
            1921,
            _length("tests.conformance.test_transaction_cases", "RECORDED"),
        ),
        Evidence(
            "ways in which a transaction is pending",
            4,
            _length("tests.conformance.test_transaction_cases", "RECORDED_PENDING"),
        ),
        Evidence("segments of __transaction_state", 1, _files(DATA, "transaction_state.log")),
        Evidence("schemas of messages", 280, _called("tests.worlds.message_samples", "all_specs")),
        Evidence("messages by version", 748, _called("tests.worlds.message_samples", "all_cases")),
        Evidence(
            "messages that kio reads", 625, _length("tests.conformance.test_messages_kio", "CASES")
        ),
        Evidence(
            "messages that kafka-python reads",
            478,
            _length("tests.conformance.test_messages_kafka_python", "CASES"),
        ),
    ),
}
"""The data by the kind of test that reads it."""
