"""Commands about faults: what is carried out, and what is refused."""

import json
from types import SimpleNamespace

import pytest

from minikafka.common.clock import Now
from minikafka.server.fault_clock import FaultyClock
from minikafka.server.fault_control import FaultControl
from tests.unit.faults.conftest import FaultyNode

DROP = {"api": "Heartbeat", "kind": "drop"}


class Links:
    cut, slow_ms = frozenset(), {}

    def set(self, cut, slow_ms):
        self.cut, self.slow_ms = frozenset(cut), dict(slow_ms)


@pytest.fixture
def control():
    steps = []
    driver = SimpleNamespace(clock_changed=lambda: steps.append(True))
    clock = FaultyClock(lambda: Now(0, 0))
    control = FaultControl(1, FaultyNode().dispatcher, Links(), clock, driver)
    control.steps = steps
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
    assert len(control.steps) >= 2


def test_the_state_has_every_fault(control):
    ask(control, {"set": [{**DROP, "id": "a", "times": 2}]})
    assert ask(control, {"links": {"cut": [3, 2], "slow_ms": {"4": 50}}}) == {"links": None}
    assert ask(control, {"clock": {"offset_ms": -5000, "rate": 1.1}}) == {"clock": None}
    assert ask(control, {"state": None})["state"] == {
        "faults": [{**DROP, "role": "broker", "id": "a", "times": 2, "hits": 0}],
        "links": {"cut": [2, 3], "slow_ms": {"4": 50}},
        "clock": {"offset_ms": -5000, "rate": 1.1},
    }
    ask(control, {"clear": None})
    assert ask(control, {"state": None})["state"] == {
        "faults": [],
        "links": {"cut": [], "slow_ms": {}},
        "clock": {"offset_ms": 0, "rate": 1.0},
    }


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ({"sett": []}, "unknown command 'sett'; did you mean set?"),
        ({}, "a command is an object with one key of set, hits, links, clock, clear, state"),
        ({"set": [], "hits": None}, "one key of"),
        ([], "one key of"),
        ({"set": None}, "set: takes a list of faults, not NoneType"),
        ({"set": [DROP, {"api": "Heartbeat"}]}, "fault 2: a fault needs an error or a kind"),
        ({"set": [{**DROP, "id": "a"}] * 2}, "id: two faults have the id 'a'"),
        ({"set": [DROP] * 1001}, "at most 1000 faults"),
        ({"hits": 1}, "hits: takes null, not int"),
        ({"links": []}, "links: takes an object, not list"),
        ({"links": {"cutt": []}}, "links: has no field 'cutt'; did you mean cut?"),
        ({"links": {"cut": [True]}}, "links: cut takes a list of node ids"),
        ({"links": {"cut": [-1]}}, "links: cut takes a list of node ids"),
        ({"links": {"cut": [1]}}, "links: node 1 has no link to itself"),
        ({"links": {"slow_ms": {"1": 2}}}, "links: node 1 has no link to itself"),
        ({"links": {"slow_ms": {"two": 2}}}, "links: slow_ms has 'two', which is no node id"),
        ({"links": {"slow_ms": {"2": -2}}}, "links: slow_ms takes ms from 0"),
        ({"links": {"slow_ms": [2]}}, "links: slow_ms takes an object"),
        ({"clock": {"rate": 0}}, "clock: rate takes a number from 0.1 to 10.0"),
        ({"clock": {"rate": float("nan")}}, "clock: rate takes a number"),
        ({"clock": {"offset_ms": 1.5}}, "clock: offset_ms takes ms"),
        ({"clock": {"offset_ms": 10**30}}, "clock: offset_ms takes ms"),
    ],
)
def test_what_is_refused_changes_nothing(control, value, why):
    ask(control, {"set": [{**DROP, "id": "before"}]})
    assert why in ask(control, value)["error"]
    assert ask(control, {"hits": None}) == {"hits": {"before": 0}}


@pytest.mark.parametrize("line", [b"", b"{", b"\xff\xfe", b"[" * 200_000, b"nul", b"9" * 5000])
def test_a_line_that_is_no_json_is_refused(control, line):
    assert "error" in json.loads(control.answer(line))
