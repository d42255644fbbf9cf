"""Requests are split by topic and partition, and errors put into answers, in every version."""

import pytest

from minikafka.common.errors import NotLeaderOrFollowerError
from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.faults.partition_lists import (
    _OF,
    _element,
    is_empty,
    lists_of,
    names_partitions,
    put_errors,
    taken_topics,
)
from minikafka.messages.api_keys import APIS, ApiKey, request_class, response_class
from minikafka.protocol.message import decode_message, encode_message
from minikafka.serving.index import MODULES
from minikafka.serving.registry import BROKER, CONTROLLER

ID = Uuid.of(1, 2)


def each_version():
    for key in _OF:
        if key == ApiKey.FETCH:
            continue
        _, low, high = MODULES[BROKER].get(key) or MODULES[CONTROLLER][key]
        for version in range(low, high + 1):
            yield pytest.param(key, version, id=f"{APIS[key].name} {version}")


SERVED = list(each_version())


def topic_entry(kind, name):
    if kind is str:
        return name
    entry = kind()
    for each in ("name", "topic", "topic_name"):
        if hasattr(entry, each):
            setattr(entry, each, name)
    if not name:
        entry.topic_id = ID
    return entry


def request_about(key, version, *topics):
    """A request that names two partitions of each topic."""
    made = request_class(key)()
    lists = lists_of(key, version)
    owner = made
    if lists.group is not None:
        owner = _element(made, lists.group.asked)()
        setattr(owner, lists.group.key, "g" if "id" in lists.group.key and key != 27 else 5)
        getattr(made, lists.group.asked).append(owner)
    entries = []
    for name in topics:
        entry = topic_entry(_element(owner, lists.topics), name)
        if lists.partitions:
            kind = _element(entry, lists.partitions)
            indexes = (0, 1) if kind is int else (kind(), kind())
            if kind is not int:
                for each in ("index", "partition", "partition_index", "partition_id"):
                    if hasattr(indexes[1], each):
                        setattr(indexes[1], each, 1)
            setattr(entry, lists.partitions, list(indexes))
        entries.append(entry)
    setattr(owner, lists.topics, entries)
    return made


@pytest.mark.parametrize(("key", "version"), SERVED)
def test_what_a_fault_takes_is_answered_with_its_error(key, version):
    only_id = key in (ApiKey.ALTER_PARTITION, ApiKey.GET_REPLICA_LOG_INFO)
    asked = request_about(key, version, *(("",) if only_id else ("a", "b")))
    taken_name = "" if only_id else "b"
    before = repr(asked)
    rest, taken = taken_topics(
        asked, version, lambda name, _, index: name == taken_name and index in (1, None)
    )
    assert repr(asked) == before
    assert [(each.name, each.indexes) for each in taken] == [
        (taken_name, [1] if lists_of(key, version).partitions else None)
    ]
    encode_message(rest, version)
    if lists_of(key, version).partitions or not only_id:
        assert not is_empty(rest, version)
    response = response_class(key)()
    put_errors(response, version, taken, NotLeaderOrFollowerError())
    # Twice: the second time it replaces the entry.
    put_errors(response, version, taken, NotLeaderOrFollowerError())
    answered = decode_message(type(response), encode_message(response, version), version)
    assert repr(answered).count("error_code=6") == 1, answered


@pytest.mark.parametrize(("key", "version"), SERVED)
def test_a_request_of_which_everything_is_taken_is_empty(key, version):
    asked = request_about(key, version, "a")
    rest, taken = taken_topics(asked, version, lambda *_: True)
    assert is_empty(rest, version)
    assert len(taken) == 1
    nothing, none = taken_topics(asked, version, lambda *_: False)
    assert nothing == asked
    assert none == []


def test_a_topic_named_by_id_is_answered_by_id():
    asked = request_about(ApiKey.PRODUCE, 13, "")
    _, taken = taken_topics(asked, 13, lambda _name, topic_id, index: topic_id == ID and index == 0)
    response = response_class(ApiKey.PRODUCE)()
    put_errors(response, 13, taken, NotLeaderOrFollowerError())
    (topic,) = response.responses
    assert (topic.topic_id, topic.partition_responses[0].base_offset) == (ID, -1)
    assert taken[0].topic_id != ZERO_UUID


def test_apis_without_partitions_are_known():
    assert not names_partitions(ApiKey.CREATE_TOPICS)
    assert not names_partitions(ApiKey.HEARTBEAT)
    assert names_partitions(ApiKey.METADATA)
