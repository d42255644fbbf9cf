"""Errors in the logs of nodes."""

import logging
from contextlib import contextmanager

from tests.fuzz.answers import FaultFoundError


class _Tracebacks(logging.Handler):
    """Collects tracebacks in the log, and lines that a client has broken in two."""

    def __init__(self):
        super().__init__(logging.DEBUG)
        self.found = []

    def emit(self, record):
        text = record.getMessage()
        if record.exc_info or record.levelno >= logging.ERROR:
            self.found.append(text)
        elif "\n" in text or "\r" in text:
            self.found.append(f"a log line of two: {text!r}")


@contextmanager
def tracebacks():
    """The errors that the nodes log."""
    handler = _Tracebacks()
    log = logging.getLogger("minikafka")
    log.addHandler(handler)
    propagates, log.propagate = log.propagate, False
    try:
        yield handler.found
    finally:
        log.removeHandler(handler)
        log.propagate = propagates


def is_empty(logged):
    """True if nothing was logged as an error."""
    if logged:
        raise FaultFoundError(f"an error in the log: {logged[:3]}")
