"""A schedule: which faults, on what, when, how long. Data that is written, edited, and read again.

`schedule.json` has the schema `minikafka.schedule/1`:

    schema    "minikafka.schedule/1"
    seed      what it was drawn from; for the reader only
    seconds   the time of writing; no fault begins later
    faults    [{kind, at_s, duration_s, targets, parameters}]

`kind` is a key of `KINDS`. `at_s` counts from the first record. `targets` are numbers of nodes or
roles, since nodes get some roles only when the cluster runs: "leader of 0" (of that partition),
"controller" (the active one), "brokers" (each of them), "clients" (whoever is no node; of networks
only). `parameters` may leave out what has a default.
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
BROKERS = "brokers"
CLIENTS = "clients"
_LEADER = re.compile(r"leader of (\d+)")

Target = int | str
Value = int | str | bool


class Parameter(NamedTuple):
    """One parameter of a kind of fault: numbers have a range, words a list."""

    default: Value
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()

    def problem(self, value: object) -> str:
        """Why a value is none for it; empty if it is one."""
        if isinstance(self.default, bool):
            return "" if isinstance(value, bool) else "must be true or false"
        if isinstance(self.default, str):
            return "" if value in self.choices else f"must be one of {', '.join(self.choices)}"
        if isinstance(value, bool) or not isinstance(value, int):
            return "must be a whole number"
        return "" if self.low <= value <= self.high else f"must be {self.low} to {self.high}"


class Kind(NamedTuple):
    """What a kind of fault is, how many targets it takes, and which parameters."""

    meaning: str
    targets: tuple[int, int]
    parameters: Mapping[str, Parameter] = {}
    clients: bool = False
    brokers_only: bool = False


_MANY = 99
KINDS: Mapping[str, Kind] = {
    "kill": Kind("SIGKILL, and started again with its data", (1, _MANY)),
    "restart": Kind("shut down in a controlled way, and started again", (1, _MANY)),
    "pause": Kind("SIGSTOP, then SIGCONT", (1, _MANY)),
    "rolling-restart": Kind(
        "every target in turn shut down, away for the duration, and started", (1, _MANY)
    ),
    "power-cut": Kind(
        "SIGKILL, and everything is gone that was not flushed; then started again",
        (1, _MANY),
        {"when_whole": Parameter(default=True)},
    ),
    "partition": Kind(
        "nothing passes between two nodes; one way: nothing from the first to the second",
        (2, 2),
        {"one_way": Parameter(default=False)},
        clients=True,
    ),
    "isolate": Kind(
        "nothing passes between a node and the other nodes",
        (1, _MANY),
        {"from_clients": Parameter(default=False)},
    ),
    "latency": Kind(
        "everything to and from a node takes longer", (1, _MANY), {"ms": Parameter(50, 1, 10_000)}
    ),
    "loss": Kind(
        "some of what goes to and from a node is lost on the way and sent again",
        (1, _MANY),
        {"percent": Parameter(10, 1, 90)},
    ),
    "bandwidth": Kind(
        "everything to and from a node passes a narrow line",
        (1, _MANY),
        {"kbit_s": Parameter(4_000, 8, 10_000_000)},
    ),
    "slow-fsync": Kind(
        "every fsync of a node takes longer", (1, _MANY), {"ms": Parameter(500, 1, 60_000)}
    ),
    "full-disk": Kind(
        "a node's log directory takes no more bytes; then there is space, and it is started again",
        (1, _MANY),
        brokers_only=True,
    ),
    "clock-offset": Kind(
        "a node's wall clock jumps, and jumps back",
        (1, _MANY),
        {"seconds": Parameter(60, -86_400, 86_400)},
    ),
    "min-isr": Kind(
        "the topic's min.insync.replicas changes, and changes back",
        (0, 0),
        {"value": Parameter(3, 1, 9)},
    ),
    "elr-off": Kind("eligible.leader.replicas.version goes to 0, and back", (0, 0)),
    "elect": Kind(
        "ElectLeaders for every partition of the topic",
        (0, 0),
        {"type": Parameter("preferred", choices=("preferred", "unclean"))},
    ),
    "stream-restart": Kind(
        "Spark's streaming query is stopped, and started from its checkpoint", (0, 0)
    ),
    "stream-kill": Kind(
        "SIGKILL of Spark, driver and JVM; started again, the stream from its checkpoint", (0, 0)
    ),
}
"""Every kind of fault that a schedule may name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedFault:
    """One entry of a schedule."""

    kind: str
    at_s: float
    duration_s: float = 0.0
    targets: tuple[Target, ...] = ()
    parameters: Mapping[str, Value] = field(default_factory=dict)

    @property
    def heal_at_s(self) -> float:
        """When it ends."""
        return round(self.at_s + self.duration_s, 3)

    def parameter(self, name: str) -> Any:
        """A parameter's value, or its default."""
        return self.parameters.get(name, KINDS[self.kind].parameters[name].default)

    def as_json(self) -> dict[str, object]:
        """Plain values."""
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
        """Write it beside the run's other files."""
        rows = [fault.as_json() for fault in self.faults]
        content = {"schema": SCHEMA, "seed": self.seed, "seconds": self.seconds, "faults": rows}
        path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")

    def problems(
        self, *, seconds: float, nodes: Sequence[int] | None, partitions: int
    ) -> list[str]:
        """One sentence for each entry that a run like this cannot have.

        `nodes` are the numbers that there are, None where nobody knows them before.
        """
        found = []
        for number, fault in enumerate(self.faults, 1):
            found += [
                f"schedule, fault {number} ({fault.kind}): {problem}"
                for problem in _problems(fault, seconds, nodes, partitions)
            ]
        return found


def leader_of(target: Target) -> int | None:
    """The partition whose leader a target is; None if it is no such role."""
    match = _LEADER.fullmatch(target) if isinstance(target, str) else None
    return int(match[1]) if match else None


def _problems(
    fault: PlannedFault, seconds: float, nodes: Sequence[int] | None, partitions: int
) -> list[str]:
    kind = KINDS.get(fault.kind)
    if kind is None:
        return [f"there is no such kind of fault; there are {', '.join(KINDS)}."]
    found = []
    if not 0 <= fault.at_s <= seconds:
        found.append(f"at_s is {fault.at_s:g}, and the run writes for {seconds:g} s.")
    if not 0 <= fault.duration_s <= seconds:
        found.append(f"duration_s is {fault.duration_s:g}, and the run writes for {seconds:g} s.")
    least, most = kind.targets
    if not least <= len(fault.targets) <= most:
        number = str(least) if least == most else f"at least {least}"
        found.append(f"it has {len(fault.targets)} targets, and takes {number}.")
    for target in fault.targets:
        found += _target_problems(kind, target, nodes, partitions)
    for name, value in fault.parameters.items():
        if name not in kind.parameters:
            takes = ", ".join(kind.parameters) or "none"
            found.append(f"there is no parameter {name!r}; it takes {takes}.")
        elif problem := kind.parameters[name].problem(value):
            found.append(f"{name} is {value!r}, and {problem}.")
    return found


def _target_problems(
    kind: Kind, target: Target, nodes: Sequence[int] | None, partitions: int
) -> list[str]:
    if isinstance(target, bool) or not isinstance(target, (int, str)):
        return [f"target {target!r} is neither a node nor a role."]
    if isinstance(target, int):
        if nodes is None or target in nodes:
            return []
        return [f"there is no node {target}; there are {', '.join(map(str, nodes))}."]
    if (partition := leader_of(target)) is not None:
        if partition < partitions:
            return []
        return [f"target {target!r}: the topic has {partitions} partitions."]
    if target == CLIENTS and not kind.clients:
        return ["clients are no target of it."]
    if target == CONTROLLER and kind.brokers_only:
        return ["it is for brokers only."]
    if target not in (CONTROLLER, BROKERS, CLIENTS):
        roles = f"'leader of PARTITION', '{CONTROLLER}', '{BROKERS}' and '{CLIENTS}'"
        return [f"target {target!r} is no role; there are {roles}."]
    return []


def read_schedule(path: Path) -> Schedule:
    """The schedule in a file; its entries are looked at by `problems`.

    Raises:
        HarnessError: if it is no schedule.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise HarnessError(f"--schedule {path}: {error.strerror}.") from error
    except ValueError as error:
        raise HarnessError(f"--schedule {path} is no JSON: {error}.") from error
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise HarnessError(f"--schedule {path} is no schedule: its schema is not {SCHEMA!r}.")
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
        raise ValueError(f"there is no field {', '.join(unknown)}")
    if not {"kind", "at_s"} <= row.keys():
        raise ValueError("it needs kind and at_s")
    return PlannedFault(
        kind=str(row["kind"]),
        at_s=float(row["at_s"]),
        duration_s=float(row.get("duration_s", 0)),
        targets=tuple(row.get("targets", ())),
        parameters=dict(row.get("parameters", {})),
    )
