"""Help and usage errors of `verify` and `judge` come before heavy imports."""

import json
import subprocess
import sys

import pytest

HEAVY = ("pyspark", "duckdb", "pyarrow", "numpy", "confluent_kafka", "vl_convert")
PROGRAM = """
import json, sys
from minikafka.cli.main import main
try:
    status = main(sys.argv[1:])
except SystemExit as ended:
    status = ended.code
print(json.dumps([status, sorted({name.partition(".")[0] for name in sys.modules})]))
"""


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["verify", "--help"], 0),
        (["judge", "--help"], 0),
        (["verify", "--engine", "other"], 3),
        (["verify", "--engine", "local", "--master", "spark://h:1"], 3),
        (["verify", "--rate", "0"], 3),
        (["judge"], 3),
        (["judge", "RUN", "--out", "x", "--engine", "local", "--master", "local[2]"], 3),
    ],
)
def test_nothing_heavy_is_imported(words, status):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words], capture_output=True, text=True, check=True
    )
    got, modules = json.loads(done.stdout.splitlines()[-1])
    assert got == status
    assert not {*HEAVY} & {*modules}


def test_the_page_of_a_simulated_run_needs_nothing_but_its_extra():
    program = "import sys, minikafka.harness.page.sim_page; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    modules = {name.partition(".")[0] for name in done.stdout.split()}
    assert {*HEAVY} & modules == {"vl_convert"}
