"""`verdict.schema.json` says all that a verdict has: what is written is valid, and documented."""

import copy
import json

import jsonschema
import pytest

from minikafka.harness.verdict import verdict_file
from tests.worlds import report_evidence
from tests.worlds.verdict_schema import SCHEMA, problems, strict


def as_json(verdict):
    return json.loads(json.dumps(verdict))


@pytest.fixture(scope="module", params=["verified", "broken"])
def verdict(request, tmp_path_factory):
    make = getattr(report_evidence, request.param)
    return as_json(make(tmp_path_factory.mktemp(request.param)).verdict)


def test_the_schema_is_valid_and_names_the_written_version():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$id"] == SCHEMA["properties"]["schema"]["const"] == verdict_file.SCHEMA


def test_a_verdict_is_valid_and_has_only_fields_of_the_schema(verdict):
    """S5: machine-readable."""
    assert problems(verdict, strict(SCHEMA)) == []


def test_a_verdict_without_spark_is_valid():
    evidence = verdict_file.Evidence(
        run={
            **dict.fromkeys(SCHEMA["properties"]["run"]["required"], ""),
            "seed": 1,
            "started_at_ms": 1,
            "ended_at_ms": 2,
            "interrupted": True,
        },
        settings={},
        versions={},
        inject="loss",
    )
    undecided = as_json(verdict_file.decide(evidence))
    assert undecided["outcome"] == "undecided"
    assert problems(undecided, strict(SCHEMA)) == []


def test_fields_of_a_later_version_are_allowed(verdict):
    later = copy.deepcopy(verdict)
    later["more"] = later["run"]["more"] = later["faults"][0]["more"] = 1
    assert problems(later) == []
    assert len(problems(later, strict(SCHEMA))) == 3


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("outcome",), "fine"),
        (("schema",), "minikafka.verdict/2"),
        (("counts", "sent"), -1),
        (("counts", "acknowledged"), None),
        (("promises", "lost", "count"), "3"),
        (("promises", "lost", "first"), [{"record": "7"}]),
        (("windows", "zero"), {}),
        (("faults", 0, "problem"), None),
        (("run", "started_at_ms"), "now"),
    ],
)
def test_values_outside_the_schema_are_refused(verdict, path, value):
    damaged = copy.deepcopy(verdict)
    place = damaged
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = value
    assert problems(damaged)


def test_a_missing_required_field_is_refused(verdict):
    for name in SCHEMA["required"]:
        damaged = {key: value for key, value in verdict.items() if key != name}
        assert problems(damaged), name


def fields(schema):
    """Each named field with its schema, however deep."""
    match schema:
        case dict():
            for name, value in schema.get("properties", {}).items():
                yield name, value
            for value in schema.values():
                yield from fields(value)
        case list():
            for value in schema:
                yield from fields(value)
        case _:
            pass


def test_every_field_is_described():
    for name, value in fields({"properties": SCHEMA["properties"], "$defs": SCHEMA["$defs"]}):
        assert value["description"], name
