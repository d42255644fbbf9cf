"""Log lines of unclean elections and recoveries: one for each partition, or a sum of many."""

import logging
from dataclasses import dataclass, field

MAX_LINES = 20
_EXAMPLES = 3

STARTS, RESTARTS = "recovery starts", "recovery starts again"
STOPS, ENDS, ELECTS = "recovery stops", "recovery ends", "unclean leader"
_LEVELS = {
    STARTS: logging.INFO,
    RESTARTS: logging.INFO,
    STOPS: logging.INFO,
    ENDS: logging.INFO,
    # Records that were committed may be lost by it.
    ELECTS: logging.WARNING,
}


@dataclass(slots=True)
class RecoveryLines:
    """What is to be said of one turn; `flush` says it. `log` takes the lines."""

    log: logging.Logger
    _said: dict[str, list[tuple[str, str]]] = field(default_factory=dict)

    def add(self, what: str, partition: str, why: str) -> None:
        """Something happened to a partition: `what` is one of the words above."""
        self._said.setdefault(what, []).append((partition, why))

    def flush(self) -> None:
        """Write a line for each, or for each kind where there are more than MAX_LINES of it."""
        for what, rows in self._said.items():
            if len(rows) <= MAX_LINES:
                for partition, why in rows:
                    self.log.log(_LEVELS[what], "%s: %s: %s", partition, what, why)
                continue
            shown = "; ".join(f"{partition}: {why}" for partition, why in rows[:_EXAMPLES])
            self.log.log(
                _LEVELS[what], "%s of %d partitions, among them %s", what, len(rows), shown
            )
        self._said = {}
