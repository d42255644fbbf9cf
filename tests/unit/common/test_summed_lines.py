import logging

import pytest

from minikafka.common.summed_lines import MAX_LINES, SummedLines

STARTS, ELECTS = "recovery starts", "unclean leader"
LEVELS = {STARTS: logging.INFO, ELECTS: logging.WARNING}


@pytest.fixture
def said(caplog):
    caplog.set_level(logging.INFO, "lines")

    def run(*rows):
        lines = SummedLines(logging.getLogger("lines"), LEVELS)
        for row in rows:
            lines.add(*row)
        lines.flush()
        lines.flush()
        return [(record.levelname, record.getMessage()) for record in caplog.records]

    return run


def test_each_partition_has_a_line(said):
    assert said((STARTS, "t-0", "because"), (ELECTS, "t-1", "broker 2")) == [
        ("INFO", "t-0: recovery starts: because"),
        ("WARNING", "t-1: unclean leader: broker 2"),
    ]


def test_many_of_a_kind_share_one(said):
    many = [(STARTS, f"t-{n}", "so") for n in range(MAX_LINES + 1)]
    found = said(*many, (ELECTS, "t-1", "broker 2"))
    assert found == [
        ("INFO", "recovery starts of 21 partitions, among them: t-0: so; t-1: so; t-2: so"),
        ("WARNING", "t-1: unclean leader: broker 2"),
    ]


def test_as_many_as_are_allowed_have_lines_of_their_own(said):
    assert len(said(*((STARTS, f"t-{n}", "so") for n in range(MAX_LINES)))) == MAX_LINES
