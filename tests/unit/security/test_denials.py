"""The audit log: one line for a denial, and a bound for those that are repeated."""

import logging

import pytest

from minikafka.common.principal import KafkaPrincipal
from minikafka.security import denials
from minikafka.security.acl import Acl
from minikafka.security.denials import Denial, DenialLog

DENIAL = Denial(KafkaPrincipal("User", "mallory"), 3, 2, "orders")
MINUTE_MS = 60_000


@pytest.fixture
def lines(caplog):
    caplog.set_level(logging.INFO, "minikafka.authorizer")
    return lambda: [record.getMessage() for record in caplog.records]


def note(log, denial=DENIAL, rule="DefaultDeny", now_ms=0):
    log.note(denial, "10.0.0.1", "Fetch", rule, now_ms)


def test_the_line_is_that_of_kafka(lines):
    note(DenialLog())
    assert lines() == [
        (
            "Principal = User:mallory is Denied operation = READ from host = 10.0.0.1 on resource = "
            "Topic:LITERAL:orders for request = Fetch based on rule DefaultDeny"
        )
    ]


def test_the_line_has_the_entry_that_denies(lines):
    note(DenialLog(), rule=Acl(2, "ord", 4, "User:*", "*", 2, 2))
    assert lines()[0].endswith(
        "based on rule MatchingAcl(acl=StandardAcl(resourceType=TOPIC, resourceName=ord, "
        "patternType=PREFIXED, principal=User:*, host=*, operation=ALL, permissionType=DENY))"
    )


def test_a_repeated_denial_is_counted(lines):
    log = DenialLog()
    for at_ms in range(0, MINUTE_MS, 1000):
        note(log, now_ms=at_ms)
    assert len(lines()) == 1
    assert log.count == 60
    note(log, now_ms=MINUTE_MS)
    assert lines()[1] == (
        "Principal = User:mallory is Denied operation = READ on resource = Topic:LITERAL:orders: "
        "59 more times within a minute"
    )
    assert lines()[2] == lines()[0]


def test_another_operation_resource_or_principal_has_its_own_line(lines):
    log = DenialLog()
    for changes in ({}, {"operation": 4}, {"resource_type": 3}, {"name": "o"},
                    {"principal": KafkaPrincipal("User", "eve")}):  # fmt: skip
        note(log, DENIAL._replace(**changes))
    assert len(set(lines())) == 5


def test_the_memory_and_the_lines_are_bounded(lines, monkeypatch):
    monkeypatch.setattr(denials, "MAX_DENIALS", 5)
    log = DenialLog()
    for number in range(12):
        note(log, DENIAL._replace(name="x" * 1000 + str(number)))
        note(log, DENIAL._replace(name=str(number)))
    assert len(lines()) == 5
    assert max(map(len, lines())) < 500
    note(log, now_ms=MINUTE_MS)
    assert any("denials within a minute, of more than 5 kinds" in line for line in lines())


def test_a_client_cannot_write_lines_of_its_own(lines):
    note(DenialLog(), DENIAL._replace(resource_type=3, name="g\nPrincipal = User:x is Allowed"))
    assert "\n" not in lines()[0]
    assert "Group:LITERAL:g\\nPrincipal" in lines()[0]
