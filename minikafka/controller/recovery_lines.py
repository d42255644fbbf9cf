"""Log lines of unclean elections and recoveries: one for each partition, or a sum of many."""

import logging

from minikafka.common.summed_lines import SummedLines

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


def recovery_lines(log: logging.Logger) -> SummedLines:
    """What one turn has to say of recoveries, in the words above."""
    return SummedLines(log, _LEVELS)
