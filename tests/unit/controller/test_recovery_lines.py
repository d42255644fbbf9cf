import logging

from minikafka.controller.recovery_lines import ELECTS, STARTS, recovery_lines


def test_an_election_is_a_warning_and_a_recovery_is_not(caplog):
    caplog.set_level(logging.INFO, "lines")
    lines = recovery_lines(logging.getLogger("lines"))
    lines.add(STARTS, "t-0", "because")
    lines.add(ELECTS, "t-1", "broker 2")
    lines.flush()
    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
        ("INFO", "t-0: recovery starts: because"),
        ("WARNING", "t-1: unclean leader: broker 2"),
    ]
