"""A schedule: a list of faults with targets, times and durations, in an editable file (S3).

`schedule.json` has the schema `minikafka.schedule/1`:

    schema    "minikafka.schedule/1"
    seed      the seed from which it was drawn; informational
    seconds   the duration of the workload; no fault begins later
    faults    [{kind, at_s, duration_s, targets, parameters}]

`kind` is a key of `KINDS`. `at_s` counts from the first record. `targets` are node numbers or
roles, which are resolved while the cluster runs: "leader of 0" (of that partition), "controller"
(the active one), "standby controller" (the most recent other voter), "brokers" (each of them),
"clients" (all processes that are not nodes; for network faults only). `parameters` may leave out
every parameter, since all have defaults.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from minikafka.harness.plan.settings import HarnessError

SCHEMA = "minikafka.schedule/1"
CONTROLLER = "controller"
STANDBY = "standby controller"
BROKERS = "brokers"
CLIENTS = "clients"
_LEADER = re.compile(r"leader of (\d+)")

FaultTarget = int | str
ParameterValue = int | str | bool


class Parameter(NamedTuple):
    """A parameter of a kind of fault: numbers have a range, words a list of choices."""

    default: ParameterValue
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()

    def problem(self, value: object) -> str:
        """The reason why a value is invalid; empty if it is valid."""
        if isinstance(self.default, bool):
            return "" if isinstance(value, bool) else "must be true or false"
        if isinstance(self.default, str):
            return "" if value in self.choices else f"must be one of {', '.join(self.choices)}"
        if isinstance(value, bool) or not isinstance(value, int):
            return "must be a whole number"
        return "" if self.low <= value <= self.high else f"must be {self.low} to {self.high}"


class FaultKind(NamedTuple):
    """A kind of fault: its meaning, the least and greatest number of targets, its parameters."""

    meaning: str
    targets: tuple[int, int]
    parameters: Mapping[str, Parameter] = {}
    clients: bool = False
    brokers_only: bool = False


_MANY = 99
KINDS: Mapping[str, FaultKind] = {
    "kill": FaultKind("SIGKILL; later started again with its data", (1, _MANY)),
    "restart": FaultKind("controlled shutdown; later started again", (1, _MANY)),
    "pause": FaultKind("SIGSTOP, then SIGCONT", (1, _MANY)),
    "rolling-restart": FaultKind(
        "each target in turn is shut down, stays down for the duration, and is started", (1, _MANY)
    ),
    "power-cut": FaultKind(
        "SIGKILL, and unflushed data is lost; later started again",
        (1, _MANY),
        {"when_whole": Parameter(default=True)},
    ),
    "wipe": FaultKind(
        "SIGKILL, and the node's directory is formatted again; later started and awaited", (1, 1)
    ),
    "old-voter": FaultKind(
        "SIGKILL, and a controller's metadata log is as old as a copy made before; later started"
        " and awaited",
        (1, 1),
    ),
    "cut": FaultKind(
        "two nodes cannot reach each other; one way: the second gets nothing from the first",
        (2, 2),
        {"one_way": Parameter(default=False)},
        clients=True,
    ),
    "isolate": FaultKind(
        "a node and the other nodes cannot reach each other",
        (1, _MANY),
        {"from_clients": Parameter(default=False)},
    ),
    "slow-node": FaultKind(
        "everything to and from a node is delayed", (1, _MANY), {"ms": Parameter(50, 1, 10_000)}
    ),
    "loss": FaultKind(
        "some packets to and from a node are lost and sent again",
        (1, _MANY),
        {"percent": Parameter(10, 1, 90)},
    ),
    "bandwidth": FaultKind(
        "the throughput to and from a node is limited",
        (1, _MANY),
        {"kbit_s": Parameter(4_000, 8, 10_000_000)},
    ),
    "slow-disk": FaultKind(
        "every fsync of a node takes longer", (1, _MANY), {"ms": Parameter(500, 1, 60_000)}
    ),
    "full-disk": FaultKind(
        "a broker's log directory is full; later there is space, and the broker is started again",
        (1, _MANY),
        brokers_only=True,
    ),
    "clock": FaultKind(
        "a node's wall clock jumps, and later jumps back",
        (1, _MANY),
        {"seconds": Parameter(60, -86_400, 86_400)},
    ),
    "min-isr": FaultKind(
        "the topic's min.insync.replicas changes, and later changes back",
        (0, 0),
        {"value": Parameter(3, 1, 9)},
    ),
    "elr-off": FaultKind("eligible.leader.replicas.version goes to 0, and later back", (0, 0)),
    "elect": FaultKind(
        "ElectLeaders for every partition of the topic",
        (0, 0),
        {"type": Parameter("preferred", choices=("preferred", "unclean"))},
    ),
    "stream-restart": FaultKind(
        "Spark's streaming query is stopped, and later started from its checkpoint", (0, 0)
    ),
    "stream-kill": FaultKind(
        "SIGKILL to Spark's driver and JVM; later started again from the stream's checkpoint",
        (0, 0),
    ),
}
"""Every kind of fault that a schedule may name."""

OF_STREAM = ("stream-restart", "stream-kill")
"""Kinds that need Spark's streaming query."""

EXCLUSIVE = ("wipe", "old-voter")
"""Kinds during which all other voters must be up, since the voter forgets how it voted."""

DEPOSING = ("kill", "pause", "power-cut", "isolate", *EXCLUSIVE)
"""Kinds by which the active controller loses its role to another voter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedFault:
    """One entry of a schedule."""

    kind: str
    at_s: float
    duration_s: float = 0.0
    targets: tuple[FaultTarget, ...] = ()
    parameters: Mapping[str, ParameterValue] = field(default_factory=dict)

    @property
    def heal_at_s(self) -> float:
        """The time at which it ends, in seconds from the first record."""
        return round(self.at_s + self.duration_s, 3)

    def parameter(self, name: str) -> Any:
        """Return a parameter's value, or its default."""
        return self.parameters.get(name, KINDS[self.kind].parameters[name].default)

    def as_json(self) -> dict[str, object]:
        """Return plain values."""
        return {**asdict(self), "targets": list(self.targets)}

    def __str__(self) -> str:
        words = [self.kind, *(f"{name}={value}" for name, value in self.parameters.items())]
        if self.targets:
            words.append(", ".join(map(str, self.targets)))
        return " ".join(words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """All faults of a run, in order of time."""

    faults: tuple[PlannedFault, ...]
    seed: int = 0
    seconds: float = 0.0

    def write(self, path: Path) -> None:
        """Write the schedule to a file."""
        rows = [fault.as_json() for fault in self.faults]
        content = {"schema": SCHEMA, "seed": self.seed, "seconds": self.seconds, "faults": rows}
        path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")

    def problems(
        self, *, seconds: float, nodes: Sequence[int] | None, partitions: int
    ) -> list[str]:
        """Return one sentence for each entry that is invalid for such a run.

        `nodes` are the numbers of the nodes; None if they are unknown before the run.
        """
        found = []
        for number, fault in enumerate(self.faults, 1):
            found += [
                f"schedule, fault {number} ({fault.kind}): {problem}"
                for problem in _problems(fault, seconds, nodes, partitions)
            ]
        return found


def leader_of(target: FaultTarget) -> int | None:
    """The N of a target "leader of N"; None for any other target."""
    match = _LEADER.fullmatch(target) if isinstance(target, str) else None
    return int(match[1]) if match else None


def _problems(
    fault: PlannedFault, seconds: float, nodes: Sequence[int] | None, partitions: int
) -> list[str]:
    kind = KINDS.get(fault.kind)
    if kind is None:
        return [f"unknown kind of fault; expected one of {', '.join(KINDS)}."]
    found = []
    if not 0 <= fault.at_s <= seconds:
        found.append(f"at_s is {fault.at_s:g}, but the run writes for {seconds:g} s.")
    if not 0 <= fault.duration_s <= seconds:
        found.append(f"duration_s is {fault.duration_s:g}, but the run writes for {seconds:g} s.")
    least, most = kind.targets
    if not least <= len(fault.targets) <= most:
        expected = f"{least} to {most}" if least < most else most or "none"
        found.append(f"the number of targets is {len(fault.targets)}, expected {expected}.")
    for target in fault.targets:
        found += _target_problems(kind, target, nodes, partitions)
    for name, value in fault.parameters.items():
        if name not in kind.parameters:
            takes = ", ".join(kind.parameters) or "none"
            found.append(f"unknown parameter {name!r}; known parameters: {takes}.")
        elif problem := kind.parameters[name].problem(value):
            found.append(f"{name} is {value!r}, but {problem}.")
    return found


def _target_problems(
    kind: FaultKind, target: FaultTarget, nodes: Sequence[int] | None, partitions: int
) -> list[str]:
    if isinstance(target, bool) or not isinstance(target, (int, str)):
        return [f"target {target!r} is neither a node nor a role."]
    if isinstance(target, int):
        if nodes is None or target in nodes:
            return []
        return [f"there is no node {target}; the nodes are {', '.join(map(str, nodes))}."]
    if (partition := leader_of(target)) is not None:
        if partition < partitions:
            return []
        return [f"target {target!r}: the last partition is {partitions - 1}."]
    if target == CLIENTS and not kind.clients:
        return ["clients cannot be a target of this kind."]
    if target in (CONTROLLER, STANDBY) and kind.brokers_only:
        return ["only brokers can be targets of this kind."]
    if target not in (CONTROLLER, STANDBY, BROKERS, CLIENTS):
        roles = f"'leader of PARTITION', '{CONTROLLER}', '{STANDBY}', '{BROKERS}' and '{CLIENTS}'"
        return [f"target {target!r} is not a role; the roles are {roles}."]
    return []


def read_schedule(path: Path) -> Schedule:
    """Read a schedule from a file; `Schedule.problems` checks its entries.

    Raises:
        HarnessError: if the file cannot be read or is not a schedule.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise HarnessError(f"--schedule {path}: {error.strerror}.") from error
    except ValueError as error:
        raise HarnessError(f"--schedule {path} is not valid JSON: {error}.") from error
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise HarnessError(f"--schedule {path} is not a schedule: its schema is not {SCHEMA!r}.")
    rows = content.get("faults")
    if not isinstance(rows, list):
        raise HarnessError(f"--schedule {path} has no list of faults.")
    faults = []
    for number, row in enumerate(rows, 1):
        try:
            faults.append(_planned(row))
        except (TypeError, ValueError, AttributeError) as error:
            raise HarnessError(f"--schedule {path}, fault {number}: {error}.") from error
    seed, seconds = content.get("seed", 0), content.get("seconds", 0)
    if not isinstance(seed, int) or not isinstance(seconds, (int, float)):
        raise HarnessError(f"--schedule {path}: seed and seconds must be numbers.")
    faults.sort(key=lambda fault: fault.at_s)
    return Schedule(faults=tuple(faults), seed=seed, seconds=float(seconds))


_FIELDS = {"kind", "at_s", "duration_s", "targets", "parameters"}


def _planned(row: Mapping[str, Any]) -> PlannedFault:
    unknown = sorted(row.keys() - _FIELDS)
    if unknown:
        fields = "field" if len(unknown) == 1 else "fields"
        raise ValueError(f"unknown {fields} {', '.join(unknown)}")
    if not {"kind", "at_s"} <= row.keys():
        raise ValueError("the fields kind and at_s are required")
    if not isinstance(row.get("targets", ()), list | tuple):
        raise ValueError(f"targets must be a list, not {row['targets']!r}")  # noqa: TRY004
    return PlannedFault(
        kind=str(row["kind"]),
        at_s=float(row["at_s"]),
        duration_s=float(row.get("duration_s", 0)),
        targets=tuple(row.get("targets", ())),
        parameters=dict(row.get("parameters", {})),
    )
