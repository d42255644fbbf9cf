"""Log lines about partitions: one for each partition, or one summary if there are too many."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field

MAX_LINES = 20
_EXAMPLES = 3


@dataclass(slots=True, eq=False, repr=False)
class SummedLines:
    """The log lines of one turn; `flush` writes them to `log`.

    `levels` has the kinds of events, each with the level of its lines.
    """

    log: logging.Logger
    levels: Mapping[str, int]
    _said: dict[str, list[tuple[str, str]]] = field(default_factory=dict)

    def add(self, what: str, partition: str, why: str) -> None:
        """Note an event of a partition: `what` is one of the kinds."""
        self._said.setdefault(what, []).append((partition, why))

    def flush(self) -> None:
        """Write one line for each event, or one for a kind with more than MAX_LINES events."""
        for what, rows in self._said.items():
            level = self.levels[what]
            if len(rows) <= MAX_LINES:
                for partition, why in rows:
                    self.log.log(level, "%s: %s: %s", partition, what, why)
                continue
            shown = "; ".join(f"{partition}: {why}" for partition, why in rows[:_EXAMPLES])
            self.log.log(level, "%s of %d partitions, among them: %s", what, len(rows), shown)
        self._said = {}
