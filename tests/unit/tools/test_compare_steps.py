"""The comparison of two trees runs, and every request that it times is answered without error."""

import re
from pathlib import Path

import minikafka
from tools.compare_steps import CASES, main

TREE = str(Path(minikafka.__file__).parent.parent)


def test_a_tree_is_compared_with_itself(capsys):
    assert main([TREE, TREE, "--rounds", "1", "--count", "2"]) == 0
    rows = capsys.readouterr().out.splitlines()[2:]
    assert [row.split()[1] for row in rows] == list(CASES)
    assert all(re.fullmatch(r"\| [\w-]+ \| [\d.]+ \| [\d.]+ \| \d+\.\d\d \|", row) for row in rows)
