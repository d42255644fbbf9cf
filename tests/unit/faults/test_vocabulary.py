"""Faults are validated where they are written, and survive their JSON form."""

import json

import pytest

from minikafka.faults.vocabulary import (
    KINDS,
    AnswerFault,
    FaultError,
    api_names,
    kind_table,
)

VALID = [
    AnswerFault(api="Produce", error="NOT_LEADER_OR_FOLLOWER", topic="t", partition=0, times=2),
    AnswerFault(api="Fetch", kind="corrupt", versions=(4, 12), client_id="c", id="f1"),
    AnswerFault(api="Metadata", kind="stale_leader", topic="t", probability=0.5, seed=7),
    AnswerFault(api="Heartbeat", kind="drop", nth=3, after=True),
    AnswerFault(api="BrokerHeartbeat", kind="delay", ms=20, broker_id=2),
    AnswerFault(api="Fetch", kind="close", broker_id=2, role="controller"),
    AnswerFault(api="ApiVersions", kind="throttle", ms=5),
]

REFUSED = [
    ({"api": "Prodoce", "kind": "drop"}, "unknown API 'Prodoce'; did you mean Produce?"),
    ({"api": "produce", "kind": "drop"}, "unknown API 'produce'; did you mean Produce?"),
    ({"api": "ShareFetch", "kind": "drop"}, "no node serves the API ShareFetch"),
    ({"api": "zzz", "kind": "drop"}, "unknown API 'zzz'"),
    ({"api": "Fetch", "kind": "dorp"}, "unknown kind of fault 'dorp'; did you mean drop?"),
    ({"api": "Fetch"}, "a fault needs an error or a kind"),
    ({"kind": "drop"}, "a fault needs the field 'api'"),
    ({"api": "Fetch", "error": "NOT_LEADER"}, "unknown error 'NOT_LEADER'; did you mean"),
    ({"api": "Fetch", "error": "NONE"}, "error: NONE is not an error"),
    ({"api": "Fetch", "kind": "error"}, "error: a fault of kind error needs it"),
    ({"api": "Fetch", "kind": "delay"}, "ms: a fault of kind delay needs it"),
    ({"api": "Fetch", "kind": "drop", "ms": 3}, "ms: a fault of kind drop has none"),
    (
        {"api": "Fetch", "kind": "drop", "error": "NOT_CONTROLLER"},
        "error: a fault of kind drop has",
    ),
    ({"api": "Fetch", "kind": "corrupt", "after": True}, "after: with kind corrupt"),
    ({"api": "Produce", "kind": "corrupt"}, "kind corrupt: is for Fetch, not for Produce"),
    ({"api": "Fetch", "kind": "stale_leader"}, "is for Metadata or DescribeTopicPartitions"),
    ({"api": "WriteTxnMarkers", "kind": "throttle", "ms": 1}, "has no throttle_time_ms"),
    ({"api": "Fetch", "kind": "drop", "topics": "t"}, "no field 'topics'; did you mean topic?"),
    ({"api": "Heartbeat", "kind": "drop", "topic": "t"}, "topic: Heartbeat names no topics"),
    ({"api": "CreateTopics", "kind": "drop", "topic": "t", "partition": 0}, "names no partitions"),
    ({"api": "Fetch", "kind": "drop", "partition": 0}, "partition: needs a topic"),
    ({"api": "Produce", "kind": "drop", "broker_id": 1}, "does not name the node that asks"),
    ({"api": "Produce", "kind": "drop", "role": "controller"}, "no controller serves Produce"),
    ({"api": "Produce", "kind": "drop", "role": "x"}, "role: 'x' is not one of broker, controller"),
    ({"api": "Produce", "kind": "drop", "versions": [3, 99]}, "served in versions 3 to 13"),
    ({"api": "Produce", "kind": "drop", "versions": [9, 8]}, "not in 9 to 8"),
    ({"api": "Produce", "kind": "drop", "versions": [9]}, "versions: must be the lowest and"),
    ({"api": "Produce", "kind": "drop", "nth": 0}, "nth: must be at least 1, not 0"),
    ({"api": "Produce", "kind": "drop", "times": 0}, "times: must be at least 1, not 0"),
    ({"api": "Produce", "kind": "drop", "times": True}, "times: must be a whole number, not bool"),
    (
        {"api": "Produce", "kind": "drop", "times": "2"},
        "times: must be a whole number, not str '2'",
    ),
    ({"api": "Produce", "kind": "drop", "after": 1}, "after: must be true or false, not int 1"),
    ({"api": "Produce", "kind": "drop", "probability": 0}, "probability: must be above 0"),
    ({"api": "Produce", "kind": "drop", "probability": 1.5}, "at most 1, not 1.5"),
    ({"api": "Produce", "kind": "drop", "topic": "t" * 1001}, "topic: is longer than 1000"),
    ({"api": "Fetch", "kind": "delay", "ms": -5}, "ms: must be at least 0, not -5"),
    ({"api": "Fetch", "kind": "delay", "ms": 10**12}, "ms: must be at most"),
    ({"api": ["Fetch"], "kind": "drop"}, "api: must be a string, not list"),
    ({"api": "Fetch", "kind": {}}, "kind: must be a string, not dict"),
    ({"api": "Fetch"}, "a fault needs an error or a kind; kinds are error, delay, drop, half,"),
    ([], "a fault is an object, not list"),
    (None, "a fault is an object, not NoneType"),
]


@pytest.mark.parametrize("fault", VALID, ids=str)
def test_a_fault_survives_its_json_form(fault):
    assert AnswerFault.from_json(json.loads(json.dumps(fault.to_json()))) == fault


@pytest.mark.parametrize(("value", "why"), REFUSED, ids=lambda x: x if isinstance(x, str) else "")
def test_what_could_never_hit_is_refused(value, why):
    with pytest.raises(FaultError) as refused:
        AnswerFault.from_json(value)
    assert why in str(refused.value)


def test_a_word_is_the_name_of_an_error_or_of_a_kind():
    assert AnswerFault.named("Produce", "drop", topic="t") == AnswerFault(
        api="Produce", kind="drop", topic="t"
    )
    fault = AnswerFault.named("Produce", "NOT_LEADER_OR_FOLLOWER", times=2)
    assert (fault.kind, int(fault.code), fault.times) == ("error", 6, 2)
    with pytest.raises(FaultError, match="unknown kind of fault 'rest'; did you mean reset"):
        AnswerFault.named("Produce", "rest")
    with pytest.raises(FaultError, match="unknown error 'NOT_LEADR_OR_FOLLOWER'; did you mean NOT"):
        AnswerFault.named("Produce", "NOT_LEADR_OR_FOLLOWER")
    with pytest.raises(FaultError, match="no field 'tops'; did you mean topic"):
        AnswerFault.named("Produce", "drop", tops="t")


def test_an_nth_call_alone_is_one_call():
    assert AnswerFault(api="Fetch", kind="drop", nth=4).times == 1
    assert AnswerFault(api="Fetch", kind="drop", nth=4, times=2).times == 2
    assert AnswerFault(api="Fetch", kind="drop").times is None


def test_an_api_that_only_controllers_serve_is_for_controllers():
    assert AnswerFault(api="AlterPartition", kind="drop").role == "controller"
    assert AnswerFault(api="Fetch", kind="drop").role == "broker"


@pytest.mark.parametrize("api", api_names())
def test_every_served_api_takes_every_general_kind(api):
    for kind in ("drop", "half", "close", "reset"):
        AnswerFault(api=api, kind=kind)
    AnswerFault(api=api, kind="delay", ms=1)
    AnswerFault(api=api, error="UNKNOWN_SERVER_ERROR")


def test_the_table_has_a_row_for_each_kind():
    rows = kind_table()
    assert len(rows) == len(KINDS) + 2
    assert all(f"| `{name}` |" in row for name, row in zip(KINDS, rows[2:], strict=True))
