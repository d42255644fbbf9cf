"""The examples of the documents run."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = [
    pytest.param(block, id=f"{name}-{number}")
    for name in ("README.md", "docs/test-clusters.md")
    for number, block in enumerate(
        re.findall(r"```python\n(.*?)```", (ROOT / name).read_text("utf-8"), re.DOTALL)
    )
    if "minikafka.testing" in block
]


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_runs(example):
    exec(compile(example, "example", "exec"), {})


def test_the_test_of_the_first_page_passes(tmp_path):
    (block,) = re.findall(
        r"```python\n(def test_.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL
    )
    (tmp_path / "test_orders.py").write_text(block)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-c", "/dev/null", "--rootdir=.", "."],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert "1 passed" in done.stdout, done.stdout + done.stderr
