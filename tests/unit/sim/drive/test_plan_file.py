"""A plan survives being written, and a text that is no plan is refused by the name of the field."""

import json

import pytest

from minikafka.sim.drive.drawing import draw
from minikafka.sim.drive.incidents import Fault, Incident
from minikafka.sim.drive.plan_file import PlanFileError, plan_of, plan_text

PLAN = draw(3, 20_000)


@pytest.mark.parametrize("seed", range(60))
def test_a_plan_survives_being_written(seed):
    plan = draw(seed, 30_000)
    assert plan_of(plan_text(plan)) == plan


def test_defaults_are_left_out_and_incidents_are_lines():
    text = plan_text(PLAN)
    assert '"steps"' not in text
    assert len([line for line in text.splitlines() if '"what"' in line]) == len(
        PLAN.faults.incidents
    )


def content(**changes):
    return json.dumps({**json.loads(plan_text(PLAN)), **changes})


def without(name):
    return json.dumps({key: x for key, x in json.loads(plan_text(PLAN)).items() if key != name})


KILL = {"what": "kill", "at_ms": 3_000, "node": 2}


def test_fields_with_a_default_may_be_left_out():
    plan = plan_of(content(incidents=[KILL]))
    assert plan.faults.incidents == (Incident(what=Fault.KILL, at_ms=3_000, node=2),)
    assert plan_of(without("incidents")).faults.incidents == ()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "not JSON"),
        ("[]", "a plan: expected a JSON object"),
        (without("brokers"), "plan: brokers: missing"),
        (content(brokers="3"), "plan: brokers: expected int, found '3'"),
        (content(brokers=True), "plan: brokers: expected int, found True"),
        (content(colour=1), "plan: colour: unknown field"),
        (content(incidents={}), "incidents: expected a list"),
        (content(incidents=[KILL, 7]), "incident 2: expected a JSON object"),
        (content(incidents=[{"at_ms": 1}]), "incident 1: what: expected one of kill, "),
        (content(incidents=[{"what": "kill"}]), "incident 1: at_ms: missing"),
        (content(incidents=[{**KILL, "node": 9}]), "incident at 3000 ms: node 9 does not exist"),
        (content(incidents=[{**KILL, "at_ms": 4_000}, KILL]), "in the order of at_ms"),
    ],
)
def test_a_text_that_is_no_plan_is_refused(text, problem):
    with pytest.raises(PlanFileError) as caught:
        plan_of(text)
    assert problem in str(caught.value)
