"""Log lines of unclean elections and recoveries: one for each partition, or a summary of many."""

import logging

from minikafka.common.summed_lines import SummedLines

STARTS, RESTARTS = "recovery starts", "recovery starts again"
STOPS, ENDS, ELECTS = "recovery stops", "recovery ends", "unclean leader"
_LEVELS = {
    STARTS: logging.INFO,
    RESTARTS: logging.INFO,
    STOPS: logging.INFO,
    ENDS: logging.INFO,
    # Committed records may be lost.
    ELECTS: logging.WARNING,
}


def recovery_lines(log: logging.Logger) -> SummedLines:
    """Return the collector of the recovery log lines of one turn."""
    return SummedLines(log, _LEVELS)
