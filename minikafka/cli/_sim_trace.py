"""The first line of a trace: from which source, with which seed and options a run came about."""

import subprocess
from dataclasses import fields
from pathlib import Path

import minikafka
from minikafka.sim.drive.plan import Plan

_ROOT = Path(minikafka.__file__).parents[1]


def first_line(plan: Plan, command: str) -> str:
    """The command that runs it again, and every setting of the plan."""
    options = " ".join(
        f"{each.name}={getattr(plan, each.name)}"
        for each in fields(plan)
        if each.name not in ("seed", "incidents")
    )
    return f"{build()} {command}: {options}"


def command(plan: Plan, seconds: int) -> str:
    """What runs this plan again."""
    steps = f" --steps {plan.steps}" if plan.steps else ""
    return f"sim --seed {plan.seed} --seconds {seconds}{steps}"


def build() -> str:
    """The version, and the commit where this is a source tree that git knows."""
    version = f"minikafka {minikafka.__version__}"
    if not (_ROOT / ".git").exists():
        return version
    command = ["git", "-C", str(_ROOT), "describe", "--always", "--dirty"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return version
    return f"{version} commit {done.stdout.strip()}"
