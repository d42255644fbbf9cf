"""Log formatting and limits: clients can neither forge log lines nor fill a disk with them.

Names in a log line come from clients: group ids, topic names, client ids. Control characters in
them are escaped here, for every handler, so that each event is one line. Lines of a traceback are
indented.
"""

import logging
import os
import re
from pathlib import Path
from typing import Final

SHOWN_PER_SPAN: Final = 50
"""The maximum number of events of one place in the code that are logged in each span."""
SPAN_S: Final = 60.0
CAUSED_BY_CLIENTS: Final = frozenset(("minikafka.apis", "minikafka.group", "minikafka.server"))
"""Loggers whose INFO events are limited, too, because clients can cause them in a loop."""
_MAX_PLACES: Final = 1000
# Unicode line separators and text direction marks can mislead a reader as well.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def escaped(text: str) -> str:
    r"""Return `text` with control characters as `\n`, `\x1b`, `\u2028`."""
    return _UNSAFE.sub(lambda found: ascii(found[0])[1:-1], text)


class LineFormatter(logging.Formatter):
    """Formats an event as one line, with indented lines for a traceback."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        """Return the line, with the message escaped."""
        record.message = escaped(record.message)
        return super().formatMessage(record)

    def formatException(self, ei: object) -> str:  # noqa: N802 - logging's name
        """Return the traceback, indented and each line escaped."""
        text = super().formatException(ei)  # type: ignore[arg-type]
        # Only "\n" ends a line of a traceback; other control characters came from a client.
        return "\n".join("    " + escaped(line) for line in text.split("\n"))


class RepeatedWarnings(logging.Filter):
    """Passes 50 events of one place in each minute, then reports how many were dropped.

    The limit is for warnings, and for INFO events that clients cause; state transitions of
    partitions are not limited. A place is a line of code, since the texts of clients may differ in
    each event.
    """

    def __init__(self) -> None:
        """Start without places."""
        super().__init__()
        self._places: dict[tuple[str, int], tuple[float, int]] = {}
        """The start of the span in seconds, and the number of events in it."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return True if the record must be logged; add a note about dropped ones if necessary."""
        level = record.levelno
        if level != logging.WARNING and (
            level != logging.INFO or record.name not in CAUSED_BY_CLIENTS
        ):
            return True
        place = (record.pathname, record.lineno)
        began_s, count = self._places.get(place, (record.created, 0))
        left_out = 0
        if not 0 <= record.created - began_s < SPAN_S:
            left_out = max(0, count - SHOWN_PER_SPAN)
            began_s, count = record.created, 0
        count += 1
        if place not in self._places and len(self._places) >= _MAX_PLACES:
            self._places.clear()
        self._places[place] = began_s, count
        if left_out:
            events = "1 similar event was" if left_out == 1 else f"{left_out} similar events were"
            _note(record, f"{events} not logged since the last one")
        elif count == SHOWN_PER_SPAN:
            _note(record, f"similar events are counted but not logged for {SPAN_S:.0f} s")
        return count <= SHOWN_PER_SPAN


def _note(record: logging.LogRecord, note: str) -> None:
    # Without arguments a percent sign in the message has no special meaning.
    record.msg, record.args = f"{record.getMessage()} ({note})", None


def set_up_logging(form: str, *, path: Path | None = None) -> None:
    """Write events of MINIKAFKA_LOG_LEVEL and above to `path`, or to standard error."""
    handler = logging.StreamHandler() if path is None else logging.FileHandler(path)
    handler.setFormatter(LineFormatter(form))
    handler.addFilter(RepeatedWarnings())
    level = os.environ.get("MINIKAFKA_LOG_LEVEL", "INFO").upper()
    logging.basicConfig(level=level, handlers=[handler])
