"""Issue 51: help and usage errors come before anything heavy is imported."""

import subprocess
import sys

import pytest

PROGRAM = """
import sys
from minikafka.cli import main
try:
    status = main.main(sys.argv[1:])
except SystemExit as end:
    status = end.code
loaded = {name.partition(".")[0] for name in sys.modules}
heavy = {"aiokafka", "confluent_kafka", "kafka", "numpy", "pandas", "pyarrow", "pyspark", "rich"}
print(status, *sorted(loaded & heavy), file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        ("verify --help", 0),
        ("judge --help", 0),
        ("verify --nodes 0", 3),
        ("verify --client-command ./absent", 3),
        ("verify --bootstrap-server h:1 --pause-command true", 3),
        ("verify --bootstrap-server h:1", 3),
        ("verify --replay ./absent", 3),
        ("judge", 3),
        ("judge run", 3),
    ],
)
def test_help_and_usage_errors_import_nothing_heavy(arguments, status):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments.split()],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr.splitlines()[-1] == str(status)
