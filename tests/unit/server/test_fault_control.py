"""Commands about faults: what is carried out, and what is refused."""

import json

import pytest

from minikafka.server.fault_control import FaultControl
from tests.unit.faults.conftest import FaultyNode

DROP = {"api": "Heartbeat", "kind": "drop"}


@pytest.fixture
def control():
    settled = []
    control = FaultControl(FaultyNode().dispatcher, lambda: settled.append(True))
    control.settled = settled
    return control


def ask(control, value):
    line = control.answer(json.dumps(value).encode())
    assert line.endswith(b"\n")
    return json.loads(line)


def test_faults_are_set_counted_and_cleared(control):
    assert ask(control, {"set": [{**DROP, "id": "a"}, DROP]}) == {"set": 2}
    assert ask(control, {"hits": None}) == {"hits": {"a": 0, "fault-2": 0}}
    assert ask(control, {"clear": None}) == {"clear": None}
    assert ask(control, {"hits": None}) == {"hits": {}}
    assert control.settled == [True, True]


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ({"sat": []}, "unknown command 'sat'; did you mean set?"),
        ({}, "a command is an object with one key of set, hits, clear"),
        ({"set": [], "hits": None}, "one key of"),
        ([], "one key of"),
        ({"set": None}, "set: takes a list of faults, not NoneType"),
        ({"set": [DROP, {"api": "Heartbeat"}]}, "fault 2: unknown kind of fault ''"),
        ({"set": [{**DROP, "id": "a"}] * 2}, "id: two faults have the id 'a'"),
        ({"set": [DROP] * 1001}, "at most 1000 faults"),
        ({"hits": 1}, "hits: takes null, not int"),
    ],
)
def test_what_is_refused_changes_nothing(control, value, why):
    ask(control, {"set": [{**DROP, "id": "before"}]})
    assert why in ask(control, value)["error"]
    assert ask(control, {"hits": None}) == {"hits": {"before": 0}}


@pytest.mark.parametrize("line", [b"", b"{", b"\xff\xfe", b"[" * 200_000, b"nul", b"9" * 5000])
def test_a_line_that_is_no_json_is_refused(control, line):
    assert "error" in json.loads(control.answer(line))
