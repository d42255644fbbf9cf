"""Cases for the decision of one partition's change, and the line format in which they are kept.

A line of `data/partition_changes.txt` is a case and what Apache Kafka 4.3.1 writes for it, fields
separated by `|`, lists by commas; `-` is an empty list, `null` no list.
"""

from random import Random
from typing import NamedTuple


class Case(NamedTuple):
    """A partition, its live brokers, and the requested change."""

    replicas: list[int]
    isr: list[int]
    elr: list[int]
    leader: int
    last_known_leader: int
    recovery_state: int
    alive: list[int]
    target_isr: list[int] | None
    unclean_shutdown: list[int]
    election: str
    min_isr: int
    elr_enabled: int
    adding: list[int]
    removing: list[int]


class Written(NamedTuple):
    """Fields of the change record; None, -2 and -1 where it leaves a field alone."""

    isr: list[int] | None
    leader: int
    elr: list[int] | None
    recovery_state: int
    replicas: list[int] | None
    removing: list[int] | None
    adding: list[int] | None


NO_RECORD = "none"
_BROKERS = (1, 2, 3, 4, 5)


def draw(rng: Random) -> Case:
    """A case that can occur in a cluster."""
    replicas = rng.sample(_BROKERS, rng.randint(1, 4))
    elr_enabled = rng.random() < 0.75
    min_isr = rng.randint(1, len(replicas))
    isr = [x for x in replicas if rng.random() < 0.5]
    if not elr_enabled and not isr:
        isr = [rng.choice(replicas)]
    keeps_elr = elr_enabled and len(isr) < min_isr
    elr = [x for x in sorted(replicas) if keeps_elr and x not in isr and rng.random() < 0.5]
    leader = rng.choice(isr) if isr and rng.random() < 0.8 else -1
    last = rng.choice([-1, *replicas]) if leader == -1 and elr_enabled else -1
    recovering = leader != -1 and len(isr) == 1 and rng.random() < 0.3
    target_isr: list[int] | None = None
    unclean: list[int] = []
    kind = rng.random()
    if kind < 0.4:
        target_isr = rng.sample(replicas, rng.randint(0, len(replicas)))
    elif kind < 0.7:
        leaving = rng.choice(replicas)
        target_isr = [x for x in isr if x != leaving]
        unclean = [leaving] if elr_enabled and rng.random() < 0.5 else []
    adding: list[int] = []
    removing: list[int] = []
    if rng.random() < 0.2:
        removing = sorted(x for x in replicas if rng.random() < 0.3)
        adding = sorted(x for x in replicas if x not in removing and rng.random() < 0.3)
    return Case(
        replicas, isr, elr, leader, last, int(recovering),
        [x for x in _BROKERS if rng.random() < 0.6], target_isr, unclean,
        rng.choice(["ONLINE", "PREFERRED", "UNCLEAN"]), min_isr, int(elr_enabled), adding, removing,
    )  # fmt: skip


def to_line(row: Case | Written) -> str:
    """The fields of a row as text."""
    return "|".join(_text(value) for value in row)


def _text(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, list):
        return ",".join(map(str, value)) or "-"
    return str(value)


def from_line(line: str) -> tuple[Case, Written | None]:
    """The case and what was written, from a line of the file."""
    case, _, written = line.partition(" -> ")
    fields = case.split("|")
    values = [
        _value(text, is_list=kind is list) for text, kind in zip(fields, _CASE_KINDS, strict=True)
    ]
    if written == NO_RECORD:
        return Case(*values), None
    kinds = (list, int, list, int, list, list, list)
    outcome = [
        _value(text, is_list=kind is list)
        for text, kind in zip(written.split("|"), kinds, strict=True)
    ]
    return Case(*values), Written(*outcome)


_CASE_KINDS = (list, list, list, int, int, int, list, list, list, str, int, int, list, list)


def _value(text: str, *, is_list: bool) -> object:
    if text == "null":
        return None
    if is_list:
        return [] if text == "-" else [int(item) for item in text.split(",")]
    return text if text.isalpha() else int(text)
