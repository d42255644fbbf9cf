"""No client starts a line of the log with its data, or fills a disk with warnings."""

import io
import logging

import pytest

from minikafka.group import group
from minikafka.server import listener
from minikafka.server.log_lines import (
    CAUSED_BY_CLIENTS,
    SHOWN_PER_SPAN,
    SPAN_S,
    LineFormatter,
    RepeatedWarnings,
    escaped,
)

FORGED = "g\r\n2026 CRITICAL forged\x1b[2J\x00\x85\u2028\u202e%s%d"


@pytest.fixture
def written():
    """(logger, stream) of one handler as a node has it."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(LineFormatter("%(levelname)s %(message)s"))
    handler.addFilter(RepeatedWarnings())
    log = logging.Logger("a node's")  # noqa: LOG001 - of this test alone
    log.addHandler(handler)
    return log, stream


def test_what_is_printable_stays():
    assert escaped("topic t-0 of Zoë: 100 %") == "topic t-0 of Zoë: 100 %"


def test_a_message_is_one_line(written):
    log, stream = written
    log.warning("group %s", FORGED)
    assert stream.getvalue() == (
        "WARNING group g\\r\\n2026 CRITICAL forged\\x1b[2J\\x00\\x85\\u2028\\u202e%s%d\n"
    )


def refuse(name):
    raise ValueError(name)


def test_a_traceback_cannot_look_like_another_event(written):
    log, stream = written
    try:
        refuse(FORGED)
    except ValueError:
        log.exception("failed")
    first, *others = stream.getvalue().removesuffix("\n").split("\n")
    assert first == "ERROR failed"
    assert others
    assert all(line.startswith("    ") for line in others)
    assert not any(sign in line for line in others for sign in "\r\x1b\x00\x85\u2028\u202e")


def warn(log, text, now_s, level=logging.WARNING, line=7):
    record = log.makeRecord(log.name, level, "place.py", line, "%s came", (text,), None)
    record.created = now_s
    log.handle(record)


def test_warnings_of_one_place_are_bounded_and_counted(written):
    log, stream = written
    for number in range(SHOWN_PER_SPAN + 30):
        warn(log, f"100% {number}", 1000.0)
    warn(log, "another", 1000.0, line=8)
    warn(log, "later", 1000.0 + SPAN_S)
    lines = stream.getvalue().splitlines()
    assert len(lines) == SHOWN_PER_SPAN + 2
    assert lines[SHOWN_PER_SPAN - 1].endswith(
        "came (similar events are counted but not logged for 60 s)"
    )
    assert lines[-2:] == [
        "WARNING another came",
        "WARNING later came (30 similar events were not logged since the last one)",
    ]


@pytest.mark.parametrize("name", ["minikafka.group", "minikafka.server", "minikafka.apis"])
def test_what_clients_cause_in_a_loop_is_bounded_at_info(written, name):
    """Joining and leaving a group wrote two lines a turn."""
    log, stream = written
    log.name = name
    for number in range(SHOWN_PER_SPAN + 30):
        warn(log, str(number), 1000.0, logging.INFO)
    assert len(stream.getvalue().splitlines()) == SHOWN_PER_SPAN
    warn(log, "later", 1000.0 + SPAN_S, logging.INFO)
    assert stream.getvalue().endswith("(30 similar events were not logged since the last one)\n")


def test_transitions_of_groups_are_bounded():
    """The logger of the machine that writes them is one of those."""
    assert group.__name__ == "minikafka.group.group"
    assert group._log.name in CAUSED_BY_CLIENTS
    assert listener._log.name in CAUSED_BY_CLIENTS


@pytest.mark.parametrize("level", [logging.INFO, logging.ERROR, logging.CRITICAL])
def test_other_levels_are_not_bounded(written, level):
    log, stream = written
    for number in range(SHOWN_PER_SPAN * 2):
        warn(log, str(number), 1000.0, level)
    assert len(stream.getvalue().splitlines()) == SHOWN_PER_SPAN * 2


def test_a_clock_that_goes_back_begins_a_new_span(written):
    log, stream = written
    for _ in range(SHOWN_PER_SPAN + 5):
        warn(log, "x", 1000.0)
    warn(log, "y", 10.0)
    assert stream.getvalue().splitlines()[-1].startswith("WARNING y came (5 similar")
