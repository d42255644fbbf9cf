"""Plans as text, so that a run can be repeated after the draw of seeds has changed.

JSON: one object with the fields of `Plan` by name. `incidents` is a list of objects with the fields
of `Incident`; `what` is the value of a fault or an operator action. Fields with a default may be
omitted.
"""

import json
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from itertools import pairwise
from typing import Any

from minikafka.sim.drive.incidents import Fault, Incident, OperatorAction
from minikafka.sim.drive.plan import Plan

_WHAT: Mapping[str, Fault | OperatorAction] = {
    **{each.value: each for each in Fault},
    **{each.value: each for each in OperatorAction},
}
_TYPES: dict[Any, type] = {int: int, bool: bool, str: str}


class PlanFileError(ValueError):
    """A text that is not a plan; the message names the field."""


def plan_text(plan: Plan) -> str:
    """Return a plan as JSON, one incident per line; fields with their default are omitted."""
    settings = _values(plan, ("incidents",))
    lines = [f"  {json.dumps(name)}: {json.dumps(value)}," for name, value in settings.items()]
    incidents = ",\n".join(
        "    " + json.dumps({"what": each.what.value, **_values(each, ("what",))})
        for each in plan.incidents
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
    plan = Plan(**_checked("plan", Plan, content, ("incidents",)), incidents=tuple(incidents))
    for each in plan.incidents:
        for name, node in (("node", each.node), ("other", each.other)):
            if node not in (0, *plan.nodes):
                raise PlanFileError(f"incident at {each.at_ms} ms: {name} {node} does not exist")
    return plan


def _values(value: Plan | Incident, without: tuple[str, ...]) -> dict[str, Any]:
    return {
        each.name: getattr(value, each.name)
        for each in fields(value)
        if each.name not in without and getattr(value, each.name) != each.default
    }


def _incident(number: int, content: object) -> Incident:
    where = f"incident {number}"
    given = _object(where, content)
    what = given.pop("what", None)
    if what not in _WHAT:
        raise PlanFileError(f"{where}: what: expected one of {', '.join(_WHAT)}, found {what!r}")
    return Incident(what=_WHAT[what], **_checked(where, Incident, given, ("what",)))


def _object(where: str, content: object) -> dict[str, Any]:
    if not isinstance(content, dict):
        raise PlanFileError(f"{where}: expected a JSON object")
    return dict(content)


def _checked(
    where: str, kind: type[Plan] | type[Incident], given: dict[str, Any], without: tuple[str, ...]
) -> dict[str, Any]:
    """Return the given fields after a check of names and types against `kind`."""
    known: dict[str, Field[Any]] = {x.name: x for x in fields(kind) if x.name not in without}
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
