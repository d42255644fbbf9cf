"""The page about the stable API names what is there, and nothing else."""

import re
from importlib import import_module
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "python-api.md"
MODULES = ("minikafka.testing", "minikafka.sim", "minikafka.verdict")


@pytest.mark.parametrize("name", MODULES)
def test_the_page_has_each_public_name(name):
    module = import_module(name)
    section = PAGE.read_text(encoding="utf-8").partition(f"## {name}\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)`", section, re.MULTILINE)
    assert rows == sorted(module.__all__)
    for each in rows:
        assert getattr(module, each).__doc__
        assert each in dir(module)
