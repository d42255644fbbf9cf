"""Clusters in virtual time: the production node in a deterministic world.

Each package imports only those below it:

    explain   the story of a run, shorter plans      scenario  commands as text, a runner
    drive     plans, clients, operators, faults, a run
    checks    invariants that hold after every step
    world     virtual time, network, disks, machines

The names in `__all__` are for users (docs/python-api.md); they are imported when they are first
used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from minikafka.sim.drive.drawing import draw
    from minikafka.sim.drive.plan import Plan
    from minikafka.sim.drive.plan_file import plan_of, plan_text
    from minikafka.sim.drive.quorum_plan import draw_quorum_plan
    from minikafka.sim.drive.simulation import RunOutcome, Simulation
    from minikafka.sim.explain.shrink import shrink

__all__ = [
    "Plan",
    "RunOutcome",
    "Simulation",
    "draw",
    "draw_quorum_plan",
    "plan_of",
    "plan_text",
    "shrink",
]

_MODULES = {
    "Plan": "drive.plan",
    "RunOutcome": "drive.simulation",
    "Simulation": "drive.simulation",
    "draw": "drive.drawing",
    "draw_quorum_plan": "drive.quorum_plan",
    "plan_of": "drive.plan_file",
    "plan_text": "drive.plan_file",
    "shrink": "explain.shrink",
}


def __getattr__(name: str) -> object:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{module}"), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
