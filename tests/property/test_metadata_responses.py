"""A cached Metadata response equals one encoded now, whatever changed in between."""

from random import Random
from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from minikafka.apis.metadata import metadata
from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.config import broker as keys
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.metadata import MetadataRequest, MetadataRequestTopic
from minikafka.metadata.broker_registration import BrokerRegistration, Endpoint
from minikafka.metadata.image import RESOURCE_TOPIC, ImageBuilder, MetadataImage
from minikafka.metadata.partition_registration import PartitionRegistration
from minikafka.rpc.envelope import encode_response
from minikafka.serving.encoded import EncodedResponses

BROKERS = (1, 2, 3)
LISTENERS = ("PLAINTEXT", "INTERNAL")
NAMES = ("a", "b", "__consumer_offsets", "no/slash")
IDS = tuple(Uuid.of(7, number) for number in range(1, 4))
DIRECTORY = Uuid.of(9, 9)

brokers = st.sampled_from(BROKERS)
places = st.integers(0, len(IDS) - 1)
topics = st.builds(MetadataRequestTopic, st.just(ZERO_UUID), st.sampled_from((*NAMES, None))) | (
    st.builds(MetadataRequestTopic, st.sampled_from(IDS), st.sampled_from(("a", None)))
)
requests = st.tuples(
    st.none() | st.lists(topics, max_size=3),
    st.booleans(),
    st.booleans(),
    st.sampled_from((0, 1, 4, 5, 6, 9, 10, 12, 13)),
    st.sampled_from((*LISTENERS, "ELSEWHERE")),
)
changes = st.one_of(
    st.tuples(
        st.just("broker"), brokers, st.booleans(), st.integers(0, 2), st.integers(9092, 9093)
    ),
    st.tuples(st.just("no broker"), brokers),
    st.tuples(st.just("topic"), places),
    st.tuples(st.just("no topic"), places),
    st.tuples(st.just("partition"), places, st.integers(0, 2), st.integers(-1, 3)),
    st.tuples(st.just("config"), st.sampled_from(NAMES)),
    st.tuples(st.just("nothing")),
)


def registered(number, fenced, listeners, port):
    return BrokerRegistration(
        broker_id=number,
        epoch=1,
        incarnation_id=Uuid.of(8, number),
        endpoints=tuple(Endpoint(name, f"h{number}", port) for name in LISTENERS[:listeners]),
        features={},
        rack=None,
        fenced=fenced,
        in_controlled_shutdown=False,
        log_dirs=(DIRECTORY,) if port == 9092 else (Uuid.of(9, 8),),
        cordoned_log_dirs=None,
        registered_at=0,
    )


def changed(image, kind, *values):
    """The next image, as replay would build it."""
    builder = ImageBuilder(image)
    match kind, *values:
        case "broker", number, fenced, listeners, port:
            builder.put_broker(registered(number, fenced, listeners, port))
        case "no broker", number if number in image.brokers:
            builder.remove_broker(number)
        case "topic", place if IDS[place] not in image.topics:
            builder.put_topic(NAMES[place], IDS[place])
        case "no topic", place if IDS[place] in image.topics:
            builder.remove_topic(IDS[place])
        case "partition", place, index, leader if IDS[place] in image.topics:
            partition = PartitionRegistration(
                replicas=BROKERS,
                directories=(DIRECTORY,) * 3,
                isr=BROKERS[:index],
                leader=leader,
                leader_epoch=image.offset,
                partition_epoch=image.offset,
            )
            builder.put_partition(IDS[place], index, partition)
        case "config", name:
            builder.set_config(RESOURCE_TOPIC, name, "k", "v")
    return builder.build(image.offset + 1, 1)


class Side:
    """A broker that answers Metadata; `most_bytes` 0 encodes each answer again."""

    def __init__(self, most_bytes):
        self.created = []
        self.services = SimpleNamespace(
            image=MetadataImage(),
            cluster_id="c",
            local=SimpleNamespace(config={keys.AUTO_CREATE_TOPICS_ENABLE: True}),
            auto_topics=SimpleNamespace(create=self.created.append),
            metadata_responses=EncodedResponses(most_bytes),
            leaving_brokers=SimpleNamespace(ids=()),
        )
        self.env = SimpleNamespace(rng=Random(5))

    def ask(self, names, create, told, version, listener):
        context = SimpleNamespace(
            env=self.env,
            authorizer=None,
            broker=self.services,
            version=version,
            listener=listener,
            api_key=ApiKey.METADATA,
        )
        request = MetadataRequest(
            topics=[] if names is None and version == 0 else names,
            allow_auto_topic_creation=create,
            include_cluster_authorized_operations=told and create and version in (9, 10),
            include_topic_authorized_operations=told and version >= 9,
        )
        return b"".join(encode_response(1, metadata(context, request), version))


START = (
    ("broker", 1, False, 2, 9092),
    ("broker", 2, False, 1, 9092),
    ("topic", 0),
    ("partition", 0, 0, 1),
)


def neighbours(asked):
    """The request, and those that differ from it in one thing."""
    names, create, told, version, listener = asked
    yield asked
    yield names, not create, told, version, listener
    yield names, create, not told, version, listener
    yield names, create, told, 13 - version, listener
    yield names, create, told, version, LISTENERS[listener == LISTENERS[0]]


@given(
    requests.map(neighbours).map(list),
    st.lists(changes, max_size=20),
    st.sampled_from((1 << 20, 500)),
)
def test_a_cached_response_equals_a_new_one(questions, story, most_bytes):
    keeping, encoding = Side(most_bytes), Side(0)
    for change in (*START, *story):
        image = changed(keeping.services.image, *change)
        keeping.services.image = encoding.services.image = image
        for asked in questions:
            # Several times: the controller in the answer is drawn.
            for _ in range(3):
                assert keeping.ask(*asked) == encoding.ask(*asked)
    assert keeping.created == encoding.created


def test_cached_responses_hold_until_topics_or_brokers_change():
    side = Side(1 << 20)
    asked = (None, True, False, 9, LISTENERS[0])
    services = side.services
    services.image = changed(services.image, "topic", 0)
    held = services.metadata_responses
    side.ask(*asked)
    for change, kept in (
        (("config", "a"), 1),
        (("nothing",), 1),
        (("broker", 1, False, 1, 9092), 0),
        (("partition", 0, 0, 1), 0),
    ):
        services.image = changed(services.image, *change)
        held.find(services.image, ())
        assert len(held._responses) == kept
        side.ask(*asked)


def test_the_cache_of_responses_is_bounded():
    side = Side(2_500)
    services = side.services
    services.image = changed(services.image, "broker", 1, False, 1, 9092)
    for number in range(50):
        side.ask([MetadataRequestTopic(name=f"x{number}")], False, False, 9, LISTENERS[0])
    held = services.metadata_responses
    assert 1 < len(held._responses) < 10
    assert held._size_bytes == sum(size for _, size in held._responses.values()) <= 2_500
