"""Random faults change only the answers that match them, and count each of their hits.

A node with faults and one without get the same requests. None of them changes what a node holds, so
that each answer that no fault hits must be the same. Which fault hits is computed here from the
words of the vocabulary.
"""

from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minikafka.common.ids import ZERO_UUID
from minikafka.faults.vocabulary import AnswerFault
from minikafka.messages.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    TopicRequest,
)
from minikafka.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from minikafka.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from minikafka.messages.metadata import MetadataRequest, MetadataRequestTopic
from tests.unit.faults.conftest import FaultyNode

TOPICS = ("t", "u")
PARTITIONS = {"t": (0, 1), "u": (0,)}
CLIENTS = ("a", "b")
VERSIONS = {"Fetch": (4, 12, 16), "ListOffsets": (1, 8), "Metadata": (1, 9, 12),
            "DescribeTopicPartitions": (0,)}  # fmt: skip


@dataclass(frozen=True)
class Request:
    api: str
    version: int
    client: str
    partitions: tuple[tuple[str, int], ...]
    by_id: bool = False

    def topics(self):
        found = {}
        for topic, index in self.partitions:
            found.setdefault(topic, []).append(index)
        return found

    def message(self, ids):
        """The request; Fetch names topics by id from version 13."""
        topics = self.topics()
        if self.api == "Metadata":
            return MetadataRequest(topics=[MetadataRequestTopic(name=name) for name in topics])
        if self.api == "DescribeTopicPartitions":
            return DescribeTopicPartitionsRequest(topics=[TopicRequest(name) for name in topics])
        if self.api == "ListOffsets":
            return ListOffsetsRequest(
                replica_id=-1,
                topics=[
                    ListOffsetsTopic(name, [ListOffsetsPartition(x, -1, -1) for x in indexes])
                    for name, indexes in topics.items()
                ],
            )
        return FetchRequest(
            max_wait_ms=0, min_bytes=1, max_bytes=1 << 20, session_epoch=-1,
            topics=[
                FetchTopic(
                    "" if self.version >= 13 else name,
                    ids[name] if self.version >= 13 else ZERO_UUID,
                    [FetchPartition(partition=x, partition_max_bytes=1 << 20) for x in indexes],
                )
                for name, indexes in topics.items()
            ],
        )  # fmt: skip


@dataclass
class Model:
    """Which faults hit, by the documented meaning of their fields."""

    faults: list[AnswerFault]
    calls: dict[str, int] = field(default_factory=dict)
    hits: dict[str, int] = field(default_factory=dict)

    def matches(self, fault, request):
        if fault.api != request.api or fault.client_id not in (None, request.client):
            return False
        if fault.versions and not fault.versions[0] <= request.version <= fault.versions[1]:
            return False
        if fault.topic is None:
            return True
        if request.api in ("Metadata", "DescribeTopicPartitions"):
            return fault.topic in request.topics()
        return any(
            topic == fault.topic and fault.partition in (None, index)
            for topic, index in request.partitions
        )

    def hit(self, request):
        """Count; return the first fault that hits, after which no other one sees the request."""
        for fault in self.faults:
            if not self.matches(fault, request):
                continue
            call = self.calls[fault.id] = self.calls.get(fault.id, 0) + 1
            before = self.hits.setdefault(fault.id, 0)
            if call >= (fault.nth or 1) and before < (fault.times or 1000):
                self.hits[fault.id] += 1
                return fault
        return None


requests = st.builds(
    lambda api, number, client, partitions: Request(
        api, VERSIONS[api][number % len(VERSIONS[api])], client, tuple(sorted(partitions))
    ),
    st.sampled_from(sorted(VERSIONS)),
    st.integers(0, 5),
    st.sampled_from(CLIENTS),
    st.sets(st.sampled_from([("t", 0), ("t", 1), ("u", 0)]), min_size=1),
)


@st.composite
def fault(draw, number):
    api = draw(st.sampled_from(sorted(VERSIONS)))
    topic = draw(st.none() | st.sampled_from((*TOPICS, "absent")))
    has_partition = topic in TOPICS and draw(st.booleans())
    versions = draw(st.none() | st.sampled_from(VERSIONS[api]))
    return AnswerFault(
        id=str(number),
        api=api,
        kind=draw(st.sampled_from(["close", "half", "reset"])),
        topic=topic,
        partition=draw(st.sampled_from(PARTITIONS[topic])) if has_partition else None,
        client_id=draw(st.none() | st.sampled_from(CLIENTS)),
        versions=None if versions is None else (VERSIONS[api][0], versions),
        nth=draw(st.none() | st.integers(1, 3)),
        times=draw(st.none() | st.integers(1, 3)),
        after=draw(st.booleans()),
    )


faults = st.integers(0, 4).flatmap(lambda count: st.tuples(*(fault(n) for n in range(count))))


@pytest.fixture(scope="module")
def nodes():
    pair = FaultyNode(), FaultyNode()
    for each in pair:
        each.clients = {name: each.new_client(name) for name in CLIENTS}
    return pair


def comparable(answer):
    if hasattr(answer, "controller_id"):
        answer.controller_id = 0  # A random broker.
    return answer


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(faults=faults, sequence=st.lists(requests, max_size=8))
def test_faults_change_only_the_answers_that_match(nodes, faults, sequence):
    plain, faulty = nodes
    faulty.set()
    faulty.set(*faults)
    model = Model(list(faults))
    for request in sequence:
        hit = model.hit(request)
        answers = [
            each.answer(
                request.message({name: each.node.loader.image.topic_ids[name] for name in TOPICS}),
                request.version,
                client=each.clients[request.client],
            )
            for each in nodes
        ]
        if hit is None:
            assert comparable(answers[1]) == comparable(answers[0])
        else:
            assert answers[1] is None
    assert faulty.dispatcher.faults.hits() == {
        each.id: model.hits.get(each.id, 0) for each in faults
    }
    assert plain.hits == 0


@settings(max_examples=60, deadline=None)
@given(
    sequence=st.lists(requests.filter(lambda each: each.api in ("Fetch", "ListOffsets"))),
    topic=st.sampled_from(TOPICS),
    index=st.integers(0, 1),
    after=st.booleans(),
)
def test_an_error_of_one_partition_changes_no_other(nodes, sequence, topic, index, after):
    plain, faulty = nodes
    faulty.set(
        *(
            AnswerFault(api=api, error="KAFKA_STORAGE_ERROR", topic=topic, partition=index,
                        after=after, id=api)
            for api in ("Fetch", "ListOffsets")
        )
    )  # fmt: skip
    for request in sequence:
        expected, found = (
            results(
                each.answer(
                    request.message(dict(each.node.loader.image.topic_ids)),
                    request.version,
                    client=each.clients[request.client],
                ),
                each.node.loader.image,
            )
            for each in (plain, faulty)
        )
        where = (topic, index)
        assert (where in found) == (where in request.partitions)
        if where in found:
            assert found.pop(where).error_code == 56
            expected.pop(where)
        assert found == expected
    faulty.set()


def results(answer, image):
    """Results by topic and partition."""
    topics = answer.responses if hasattr(answer, "responses") else answer.topics
    found = {}
    for topic in topics:
        name = getattr(topic, "name", None) or getattr(topic, "topic", None)
        name = name or image.topics[topic.topic_id].name
        for each in topic.partitions:
            if hasattr(each, "records"):
                each.records = bytes(each.records or b"")
            assert (name, each.partition_index) not in found
            found[name, each.partition_index] = each
    return found
