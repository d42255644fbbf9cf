"""The words of a story: the text of rules, and changes of a partition in words."""

from collections.abc import Iterable

from minikafka import rules
from minikafka.metadata.partition_registration import NO_LEADER, PartitionRegistration
from minikafka.sim.checks.catalog import CHECKS

RULES = {name: rule.short for name, rule in rules.RULES.items()} | CHECKS
"""The clause that a story prints, by the name in front of a violation."""

# Singular and plural.
_COMES = ("joins the ISR", "join the ISR")
_LEAVES = ("leaves the ISR", "leave the ISR")
_BECOMES = ("joins the ELR", "join the ELR")
_IS_NOT = ("leaves the ELR", "leave the ELR")


def meaning(violation: str) -> str:
    """Return the text of the rule that a violation names; empty for an unknown rule."""
    return RULES.get(violation.partition(":")[0], "")


def change(former: PartitionRegistration | None, now: PartitionRegistration) -> str:
    """Describe a change of a partition, and its state; empty without a visible change."""
    parts = [] if former is None else _moves(former, now)
    if former is None or former.leader != now.leader:
        parts.insert(0, _leadership(former, now))
    if not parts:
        return ""
    state = [f"in sync {names(now.isr)}"]
    if now.elr:
        state.append(f"eligible {names(now.elr)}")
    if now.last_known_elr:
        state.append(f"last known eligible {names(now.last_known_elr)}")
    return f"{', '.join(parts)} ({'; '.join(state)})"


def _leadership(former: PartitionRegistration | None, now: PartitionRegistration) -> str:
    if now.leader == NO_LEADER:
        return "no leader"
    leads = f"n{now.leader} leads epoch {now.leader_epoch}"
    if former is None or now.leader in former.isr:
        return leads
    if now.leader in former.elr:
        return f"{leads}, elected from the ELR"
    return f"{leads}, from outside ISR and ELR"


def _moves(former: PartitionRegistration, now: PartitionRegistration) -> list[str]:
    found = []
    for before, after, comes, goes in (
        (former.isr, now.isr, _COMES, _LEAVES),
        (former.elr, now.elr, _BECOMES, _IS_NOT),
    ):
        went = [member for member in before if member not in after]
        came = [member for member in after if member not in before]
        for members, (one, many) in ((went, goes), (came, comes)):
            if members:
                found.append(f"{names(members)} {one if len(members) == 1 else many}")
    if former.replicas != now.replicas:
        found.append(f"its replicas are {names(now.replicas)}")
    return found


def names(members: Iterable[int]) -> str:
    """Format nodes by their names; "no node" for none."""
    return ", ".join(f"n{member}" for member in sorted(members)) or "no node"


def offsets(first: int, last: int) -> str:
    """Format a range of offsets."""
    return f"offset {first}" if first == last else f"offsets {first} to {last}"
