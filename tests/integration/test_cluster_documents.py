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


def blocks(name):
    return re.findall(r"```python\n(.*?)```", (ROOT / name).read_text("utf-8"), re.DOTALL)


def test_the_test_of_the_first_page_passes(tmp_path):
    (block,) = (each for each in blocks("README.md") if each.startswith("def test_"))
    assert "1 passed" in outcome(block, tmp_path)


def test_the_tests_of_the_page_about_tests_pass(tmp_path):
    of_containers = "from testcontainers."
    found = [each for each in blocks("docs/in-your-tests.md") if of_containers not in each]
    text = "\n".join(["import pytest", *found])
    application = "...  # the application writes"
    assert application in text
    text = text.replace(application, 'minikafka.produce(kafka_topic, "a")')
    assert f"{text.count('def test_') + 1} passed" in outcome(text, tmp_path)


def outcome(text, tmp_path):
    (tmp_path / "test_orders.py").write_text(text)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-c", "/dev/null", "--rootdir=.", "."],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
