"""Plans as text, so that a run can be repeated after the draw of seeds has changed.

JSON: one object with the settings of a `Plan` by name, without its parts. `incidents` is a list of
objects with the fields of `Incident`; `what` is the value of a fault or an operator action. Fields
with a default may be omitted.
"""

import json
from collections.abc import Mapping
from dataclasses import MISSING, Field, asdict, fields
from itertools import pairwise
from typing import Any

from minikafka.sim.drive.incidents import Fault, Incident, OperatorAction
from minikafka.sim.drive.plan import Plan, setting_fields

_WHAT: Mapping[str, Fault | OperatorAction] = {
    **{each.value: each for each in Fault},
    **{each.value: each for each in OperatorAction},
}
_TYPES: dict[Any, type] = {int: int, bool: bool, str: str}
_Fields = Mapping[str, Field[Any]]
_SETTINGS: _Fields = {each.name: each for each in setting_fields() if each.name != "incidents"}
_OF_INCIDENTS: _Fields = {each.name: each for each in fields(Incident) if each.name != "what"}


class PlanFileError(ValueError):
    """A text that is not a plan; the message names the field."""


def plan_text(plan: Plan) -> str:
    """Return a plan as JSON, one incident per line; fields with their default are omitted."""
    settings = _changed(_SETTINGS, plan.settings)
    lines = [f"  {json.dumps(name)}: {json.dumps(value)}," for name, value in settings.items()]
    incidents = ",\n".join(
        "    " + json.dumps({"what": each.what.value, **_changed(_OF_INCIDENTS, asdict(each))})
        for each in plan.faults.incidents
    )
    return "\n".join(["{", *lines, '  "incidents": [', *([incidents] if incidents else [])]) + (
        "\n  ]\n}\n"
    )


def plan_of(text: str) -> Plan:
    """Return the plan that a text from `plan_text` describes.

    Raises:
        PlanFileError: the text is not a JSON object, or a field is missing, unknown or has the
            wrong type.
    """
    try:
        content = json.loads(text)
    except ValueError as error:
        raise PlanFileError(f"not JSON: {error}") from None
    content = _object("a plan", content)
    listed = content.pop("incidents", [])
    if not isinstance(listed, list):
        raise PlanFileError("incidents: expected a list")
    incidents = [_incident(number, each) for number, each in enumerate(listed, 1)]
    if any(one.at_ms > other.at_ms for one, other in pairwise(incidents)):
        raise PlanFileError("incidents: expected them in the order of at_ms")
    plan = Plan.of(**_checked("plan", _SETTINGS, content), incidents=tuple(incidents))
    for each in plan.faults.incidents:
        for name, node in (("node", each.node), ("other", each.other)):
            if node not in (0, *plan.cluster.nodes):
                raise PlanFileError(f"incident at {each.at_ms} ms: {name} {node} does not exist")
    return plan


def _changed(known: _Fields, values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: values[name] for name, each in known.items() if values[name] != each.default}


def _incident(number: int, content: object) -> Incident:
    where = f"incident {number}"
    given = _object(where, content)
    what = given.pop("what", None)
    if what not in _WHAT:
        raise PlanFileError(f"{where}: what: expected one of {', '.join(_WHAT)}, found {what!r}")
    return Incident(what=_WHAT[what], **_checked(where, _OF_INCIDENTS, given))


def _object(where: str, content: object) -> dict[str, Any]:
    if not isinstance(content, dict):
        raise PlanFileError(f"{where}: expected a JSON object")
    return dict(content)


def _checked(where: str, known: _Fields, given: dict[str, Any]) -> dict[str, Any]:
    """Return the given fields after a check of names and types."""
    for name, value in given.items():
        if name not in known:
            raise PlanFileError(f"{where}: {name}: unknown field")
        wanted = _TYPES[known[name].type]
        if type(value) is not wanted:
            raise PlanFileError(f"{where}: {name}: expected {wanted.__name__}, found {value!r}")
    for name, each in known.items():
        if name not in given and each.default is MISSING:
            raise PlanFileError(f"{where}: {name}: missing")
    return given
