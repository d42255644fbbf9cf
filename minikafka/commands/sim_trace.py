"""The first lines of a trace: version of the source, command, settings of the plan, incidents."""

import subprocess
from pathlib import Path

import minikafka
from minikafka.sim.drive.plan import Plan

_ROOT = Path(minikafka.__file__).parents[1]


def first_line(plan: Plan, command: str) -> str:
    """Return the version, the command that repeats the run, and every setting of the plan."""
    options = " ".join(
        f"{name}={value}"
        for name, value in plan.settings.items()
        if name not in ("seed", "incidents")
    )
    return f"{build()} {command}: {options}"


def header(plan: Plan) -> list[str]:
    """Return a run's settings and planned incidents in words."""
    settings = {
        "brokers": plan.cluster.brokers,
        "replication factor": plan.cluster.replication_factor,
        "min ISR": plan.cluster.min_isr,
        "partitions": plan.cluster.partitions,
        "controller": "separate" if plan.cluster.separate_controller else "node 1",
        "ELR": "on" if plan.cluster.elr else "off",
        "recovery": plan.cluster.strategy if plan.cluster.recovery_manager else "off",
        "producers": f"{plan.load.producers}{', idempotent' if plan.load.idempotent else ''}",
        "flush.messages": 1 if plan.cluster.flush_messages else "unset",
        "retention.bytes": plan.cluster.retention_bytes,
    }
    line = ", ".join(f"{name} {value}" for name, value in settings.items())
    return [line, *(f"planned {incident}" for incident in plan.faults.incidents)]


def command_of(plan: Plan, seconds: int, *, is_of_quorum: bool = False) -> str:
    """Return the command that runs this plan again."""
    steps = f" --steps {plan.steps}" if plan.steps else ""
    quorum = " --quorum" if is_of_quorum else ""
    return f"sim --seed {plan.seed} --seconds {seconds}{steps}{quorum}"


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
