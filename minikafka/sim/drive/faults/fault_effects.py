"""Counts of the faults that had an effect: a fault without effect tests nothing.

A kill has an effect if the process ran, a cut link if it held a message back, a full disk if it
refused a write. A fault that lasts has one if a counter has grown by its end.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from minikafka.sim.drive.incidents import Incident

Link = tuple[str, str]


class _Measured(NamedTuple):
    """A fault that lasts, the counter of its effects, and the count before it."""

    incident: Incident
    effects: Callable[[], int]
    before: int


@dataclass(slots=True)
class FaultEffects:
    """Counts the faults that had an effect, by name."""

    counts: Counter[str] = field(default_factory=Counter)
    _measured: list[_Measured] = field(default_factory=list)

    def record(self, incident: Incident, effect: bool = True) -> None:  # noqa: FBT001, FBT002
        """Count a fault, if it had an effect."""
        self.counts[incident.what.value] += effect

    def measure(self, incident: Incident, effects: Callable[[], int]) -> None:
        """Count the fault when it ends, if `effects` returns a higher count by then."""
        self._measured.append(_Measured(incident, effects, effects()))

    def measure_links(
        self, incident: Incident, counts: Mapping[Link, int], links: Iterable[Link]
    ) -> None:
        """Count the fault when it ends, if one of the counts of these links has grown."""
        of_links = list(links)
        self.measure(incident, lambda: sum(counts.get(link, 0) for link in of_links))

    def ended(self, incident: Incident) -> None:
        """Count a lasting fault that has been undone, if it had an effect."""
        for each in [each for each in self._measured if each.incident is incident]:
            self._measured.remove(each)
            self.record(each.incident, each.effects() > each.before)

    def all_ended(self) -> None:
        """Count all lasting faults that had an effect."""
        for each in self._measured:
            self.record(each.incident, each.effects() > each.before)
        self._measured.clear()
