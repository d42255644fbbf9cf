"""The first line of a trace: the version of the source, the command and the plan's settings."""

import subprocess
from dataclasses import fields
from pathlib import Path

import minikafka
from minikafka.sim.drive.plan import Plan

_ROOT = Path(minikafka.__file__).parents[1]


def first_line(plan: Plan, command: str) -> str:
    """Return the version, the command that repeats the run, and every setting of the plan."""
    options = " ".join(
        f"{each.name}={getattr(plan, each.name)}"
        for each in fields(plan)
        if each.name not in ("seed", "incidents")
    )
    return f"{build()} {command}: {options}"


def command(plan: Plan, seconds: int) -> str:
    """Return the command that runs this plan again."""
    steps = f" --steps {plan.steps}" if plan.steps else ""
    return f"sim --seed {plan.seed} --seconds {seconds}{steps}"


def build() -> str:
    """Return the version, and the commit if this is a git work tree."""
    version = f"minikafka {minikafka.__version__}"
    if not (_ROOT / ".git").exists():
        return version
    command = ["git", "-C", str(_ROOT), "describe", "--always", "--dirty"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return version
    return f"{version} commit {done.stdout.strip()}"
