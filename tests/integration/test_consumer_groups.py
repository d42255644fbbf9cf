"""Consumer groups of the new protocol (KIP-848), as librdkafka uses them; other clients beside."""

import asyncio
import threading
import time
import warnings
from concurrent.futures import wait
from contextlib import ExitStack, closing

import pytest
from aiokafka import AIOKafkaConsumer
from confluent_kafka import Consumer, ConsumerGroupState, ConsumerGroupType, TopicPartition
from confluent_kafka.admin import AdminClient

from minikafka.testing import Cluster

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from kafka import KafkaConsumer

CONFIG = {
    "group.consumer.min.heartbeat.interval.ms": 100,
    "group.consumer.heartbeat.interval.ms": 200,
    "group.consumer.min.session.timeout.ms": 1000,
    "group.consumer.session.timeout.ms": 3000,
    "group.consumer.assignment.interval.ms": 0,
    "offsets.topic.num.partitions": 1,
}
_PATIENCE_S = 60


@pytest.fixture(scope="module")
def cluster():
    with Cluster(3, config=CONFIG) as running:
        yield running


@pytest.fixture
def topic(cluster, request):
    name = f"t-{request.node.name.replace('[', '-').replace(']', '')}"
    cluster.create_topic(name, 6)
    cluster.produce(name, *(f"v{number}" for number in range(60)))
    return name


def consumer(cluster, group, *topics, protocol="consumer", **more):
    config = {
        "bootstrap.servers": cluster.bootstrap_servers,
        "group.id": group,
        "group.protocol": protocol,
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
    }
    if protocol == "classic":
        config |= {"session.timeout.ms": 6000, "heartbeat.interval.ms": 300,
                   "partition.assignment.strategy": "range"}  # fmt: skip
    made = Consumer(config | {key.replace("_", "."): value for key, value in more.items()})
    made.subscribe(list(topics))
    return made


def poll_until(consumers, condition, seen=None):
    """Let all consumers poll until the condition holds."""
    deadline_s = time.monotonic() + _PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline_s, [len(each.assignment()) for each in consumers]
        for each in consumers:
            message = each.poll(0.02)
            if message is None:
                continue
            assert not message.error(), message.error()
            if seen is not None:
                seen.append((message.partition(), message.offset()))


def shares(*consumers):
    return sorted(len(each.assignment()) for each in consumers)


def partitions_of(*consumers):
    return [(it.topic, it.partition) for each in consumers for it in each.assignment()]


def test_members_share_a_topic_and_every_record_is_read_once(cluster, topic):
    seen = []
    with ExitStack() as stack:
        members = [stack.enter_context(closing(consumer(cluster, topic, topic)))]
        poll_until(members, lambda: shares(*members) == [6], seen)
        poll_until(members, lambda: len(seen) == 60, seen)
        members[0].commit(asynchronous=False)
        for sizes in ([3, 3], [2, 2, 2]):
            members.append(stack.enter_context(closing(consumer(cluster, topic, topic))))
            poll_until(members, lambda sizes=sizes: shares(*members) == sizes, seen)
            assert len(set(partitions_of(*members))) == 6
        assert len(seen) == len(set(seen)) == 60
        members.pop().close()
        poll_until(members, lambda: shares(*members) == [3, 3], seen)
        # What was committed is not read again.
        assert len(seen) == 60


def test_operators_see_the_group(cluster, topic):
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
    with closing(consumer(cluster, topic, topic)) as member:
        poll_until([member], lambda: shares(member) == [6])
        found = admin.describe_consumer_groups([topic])[topic].result(30)
        assert (found.type, found.state) == (ConsumerGroupType.CONSUMER, ConsumerGroupState.STABLE)
        assert [len(each.assignment.topic_partitions) for each in found.members] == [6]
        listed = admin.list_consumer_groups(types={ConsumerGroupType.CONSUMER}).result(30)
        assert topic in [each.group_id for each in listed.valid]
    admin.delete_consumer_groups([topic])[topic].result(30)


def test_a_coordinator_is_killed_and_no_member_loses_a_partition(cluster, topic):
    members = [consumer(cluster, topic, topic) for _ in range(2)]
    lost = []
    for each in members:
        each.subscribe([topic], on_lost=lambda _, found: lost.extend(found))
    with ExitStack() as stack:
        for each in members:
            stack.enter_context(closing(each))
        poll_until(members, lambda: shares(*members) == [3, 3])
        before = partitions_of(*members)
        killed = cluster.kill_leader("__consumer_offsets", 0)
        poll_until(members, lambda: cluster.leader("__consumer_offsets", 0) not in (None, killed))
        members[0].commit(offsets=[TopicPartition(*before[0], 5)], asynchronous=False)
        assert (partitions_of(*members), lost) == (before, [])
        cluster.start(killed)


def test_a_static_member_that_returns_keeps_its_partitions(cluster, topic):
    first = consumer(cluster, topic, topic, group_instance_id="one")
    with closing(consumer(cluster, topic, topic, group_instance_id="two")) as second:
        poll_until([first, second], lambda: shares(first, second) == [3, 3])
        before = set(partitions_of(first))
        first.close()
        with closing(consumer(cluster, topic, topic, group_instance_id="one")) as again:
            poll_until([again, second], lambda: shares(again, second) == [3, 3])
            assert set(partitions_of(again)) == before


def test_a_pattern_finds_topics_that_come_later(cluster, topic):
    with closing(consumer(cluster, topic, f"^{topic}.*")) as member:
        poll_until([member], lambda: shares(member) == [6])
        cluster.create_topic(f"{topic}-later", 2)
        poll_until([member], lambda: shares(member) == [8])


def test_a_group_moves_to_the_new_protocol_and_back_while_it_is_read(cluster, topic):
    seen = []
    with ExitStack() as stack:

        def started(protocol):
            member = consumer(cluster, topic, topic, protocol=protocol, enable_auto_commit=True)
            return stack.enter_context(closing(member))

        members = [started("classic"), started("classic")]
        poll_until(members, lambda: shares(*members) == [3, 3], seen)
        for protocols in (["consumer", "consumer"], ["classic", "classic"]):
            for place, protocol in enumerate(protocols):
                members[place].close()
                members[place] = started(protocol)
                poll_until(members, lambda: shares(*members) == [3, 3], seen)
                assert len(set(partitions_of(*members))) == 6
        poll_until(members, lambda: len(set(seen)) == 60, seen)


class KafkaPython:
    """A classic member: a client that has no other protocol."""

    def __init__(self, cluster, group):
        self.client = KafkaConsumer(
            group, bootstrap_servers=cluster.bootstrap_servers, group_id=group,
            enable_auto_commit=False, heartbeat_interval_ms=300, session_timeout_ms=6000,
        )  # fmt: skip

    def take_turn(self):
        self.client.poll(timeout_ms=20)
        return [each.partition for each in self.client.assignment()]

    def close(self):
        self.client.close()


class Aiokafka:
    """A classic member on an event loop that runs while it has its turn."""

    def __init__(self, cluster, group):
        # Its own thread: while it joins, the others must be able to join, too.
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever)
        self.thread.start()
        self.reading = self.begin(self.start(cluster, group))
        self.reading.result(_PATIENCE_S)

    def begin(self, work):
        return asyncio.run_coroutine_threadsafe(work, self.loop)

    async def start(self, cluster, group):
        self.client = AIOKafkaConsumer(
            group, bootstrap_servers=cluster.bootstrap_servers, group_id=group,
            enable_auto_commit=False, heartbeat_interval_ms=300, session_timeout_ms=6000,
        )  # fmt: skip
        await self.client.start()

    def take_turn(self):
        if self.reading.done():
            self.reading = self.begin(self.client.getmany(timeout_ms=20))
        wait([self.reading], 0.02)
        return [each.partition for each in self.client.assignment()]

    def close(self):
        self.begin(self.client.stop()).result(_PATIENCE_S)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()


class Librdkafka:
    """A member of the consumer protocol."""

    def __init__(self, cluster, group):
        self.client = consumer(cluster, group, group)

    def take_turn(self):
        self.client.poll(0.02)
        return [each.partition for each in self.client.assignment()]

    def close(self):
        self.client.close()


def share(members, wanted):
    """Let members take turns until they have so many partitions, each once."""
    deadline_s = time.monotonic() + _PATIENCE_S
    while True:
        found = [each.take_turn() for each in members]
        owned = sorted(index for each in found for index in each)
        if sorted(map(len, found)) == wanted and owned == list(range(6)):
            return
        assert time.monotonic() < deadline_s, found


def test_clients_that_have_only_the_classic_protocol_share_with_others(cluster, topic):
    with ExitStack() as stack:
        # First: its start waits until it has its partitions.
        first = stack.enter_context(closing(Aiokafka(cluster, topic)))
        second = stack.enter_context(closing(KafkaPython(cluster, topic)))
        share([first, second], [3, 3])
        new = Librdkafka(cluster, topic)
        share([first, second, new], [2, 2, 2])
        new.close()
        share([first, second], [3, 3])
