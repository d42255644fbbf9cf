"""The examples of the documents run."""

import re
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
