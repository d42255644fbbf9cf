"""Which faults had an effect: one that changed nothing proves nothing.

A kill has one if the process ran, a cut link if it held a message back, a full disk if it refused a
write. What lasts is measured: a count must have grown when it ends.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from minikafka.sim.drive.plan import Incident

Link = tuple[str, str]


class _Measured(NamedTuple):
    """A fault that lasts, what counts its effects, and how many there were before it."""

    incident: Incident
    effects: Callable[[], int]
    before: int


@dataclass(slots=True)
class FaultEffects:
    """Counts, by the name of a fault, how often it had an effect."""

    counts: Counter[str] = field(default_factory=Counter)
    _measured: list[_Measured] = field(default_factory=list)

    def record(self, incident: Incident, effect: bool = True) -> None:  # noqa: FBT001, FBT002
        """Count a fault, if it had an effect."""
        self.counts[incident.what.value] += effect

    def measure(self, incident: Incident, effects: Callable[[], int]) -> None:
        """Count the fault when it ends, if `effects` returns more by then."""
        self._measured.append(_Measured(incident, effects, effects()))

    def measure_links(
        self, incident: Incident, counts: Mapping[Link, int], links: Iterable[Link]
    ) -> None:
        """Count the fault when it ends, if one of the counts of these links has grown."""
        of_links = list(links)
        self.measure(incident, lambda: sum(counts.get(link, 0) for link in of_links))

    def ended(self, incident: Incident) -> None:
        """Judge a fault that has been undone."""
        for each in [each for each in self._measured if each.incident is incident]:
            self._measured.remove(each)
            self.record(each.incident, each.effects() > each.before)

    def all_ended(self) -> None:
        """Judge all that last."""
        for each in self._measured:
            self.record(each.incident, each.effects() > each.before)
        self._measured.clear()
