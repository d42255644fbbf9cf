"""Small requests and a start execute as much Python code as the tree says, on any machine."""

import json

import pytest

from tools import count_bytecodes
from tools.count_bytecodes import REQUESTS, START, Counter, differences, known, main


@pytest.fixture(scope="module")
def expected():
    """The counts of this Python version, or of the last one before it."""
    counts = known()
    return counts.get(count_bytecodes.python_version()) or counts[max(counts)]


def test_small_requests_and_a_start_cost_what_they_did(expected, monkeypatch):
    """`python -m tools.count_bytecodes --write` replaces the counts, for a reason in the commit."""
    if count_bytecodes.python_version() not in known():
        # Another Python has other bytecodes for the same code.
        monkeypatch.setattr(count_bytecodes, "TOLERANCE", 0.3)
    found = {**count_bytecodes.count_requests(), START: count_bytecodes.count_start()}
    assert differences(found, expected) == []


def test_the_counts_are_complete():
    assert all(list(counts) == [*REQUESTS, START] for counts in known().values())


def test_a_difference_above_the_tolerance_is_named():
    expected = {"produce": 1000, "fetch": 1000, "start": 1000}
    found = {"produce": 1030, "fetch": 1031, "start": 960}
    assert differences(found, expected) == [
        "fetch: 1031, was 1000 (+3.1%)",
        "start: 960, was 1000 (-4.0%)",
    ]


def test_bytecodes_are_counted():
    def loop(rounds):
        for _ in range(rounds):
            pass

    def counted(rounds, counter):
        # Python 3.13 reports the bytecodes of a function from its second call on.
        return [counter.run(lambda: loop(rounds)) for _ in range(2)][1]

    few, many = (counted(rounds, Counter()) for rounds in (10, 110))
    assert 0 < few < many
    assert counted(10, Counter()) == few
    assert counted(10, Counter(lambda path: path != __file__)) == 0


def test_the_command_compares_and_writes(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(count_bytecodes, "COUNTS", tmp_path / "counts.json")
    monkeypatch.setattr(count_bytecodes, "count_requests", lambda: dict.fromkeys(REQUESTS, 100))
    monkeypatch.setattr(count_bytecodes, "count_start", lambda: 100)
    assert main([]) == 1
    assert "no counts for Python" in capsys.readouterr().out
    assert main(["--write"]) == 0
    assert main([]) == 0
    assert capsys.readouterr().out.endswith("as before\n")
    written = json.loads((tmp_path / "counts.json").read_text())
    assert list(written) == [count_bytecodes.python_version()]
    monkeypatch.setattr(count_bytecodes, "count_start", lambda: 110)
    assert main([]) == 1
    assert "start: 110, was 100 (+10.0%)" in capsys.readouterr().out
