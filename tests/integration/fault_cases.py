"""Each kind of fault once, for any client: what it does meanwhile, and how often it is hit.

A client has three methods: `produce(topic, value)`, `consume(topic, count)` returns the values, and
`commit(group, topic, offset)`. Each tries again until it succeeds.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple


class Case(NamedTuple):
    """A fault, what the client does, and the hits."""

    api: str
    what: str
    action: str
    match: dict[str, Any]
    hits: int

    @property
    def name(self):
        return f"{self.api}-{self.what}{'-after' if self.match.get('after') else ''}"


def _case(api, what, action, times=1, **match):
    return Case(api, what, action, {"times": times, **match}, times)


CASES = [
    _case("Produce", "NOT_LEADER_OR_FOLLOWER", "produce", 2),
    _case("Produce", "NOT_ENOUGH_REPLICAS", "produce", 2, after=True),
    _case("Produce", "delay", "produce", ms=300),
    _case("Produce", "drop", "produce"),
    _case("Produce", "half", "produce", 2),
    _case("Produce", "close", "produce", 2, after=True),
    _case("Produce", "reset", "produce", 2),
    _case("Produce", "throttle", "produce", ms=200),
    _case("Metadata", "stale_leader", "produce"),
    _case("Fetch", "corrupt", "consume"),
    _case("Fetch", "drop", "consume", after=True),
    _case("OffsetCommit", "COORDINATOR_LOAD_IN_PROGRESS", "commit"),
]


def new_topic(cluster, name):
    cluster.create_topic(name, assignment=[[1, 2, 3]], config={"min.insync.replicas": 2})
    cluster.produce(name, "first")


def check(cluster, client, topic, case):
    """Let a client do its work while a fault is active: each record is there once."""
    new_topic(cluster, topic)
    expected = [b"first"]
    with cluster.fault(case.api, case.what, topic=topic, **case.match) as fault:
        if case.action == "produce":
            client.produce(topic, "second")
            expected.append(b"second")
        elif case.action == "consume":
            assert client.consume(topic, 1) == [b"first"]
        else:
            client.commit(topic, topic, 1)
            assert cluster.committed(topic, topic) == {0: 1}
        assert fault.hits == case.hits
    assert values(cluster, topic) == expected
    assert client.consume(topic, len(expected)) == expected


def values(cluster, topic):
    return [record.value for record in cluster.records(topic)]


def leader_cut_off(cluster, client, topic):
    """The leader is cut off while a client writes; it cannot commit what it gets meanwhile."""
    new_topic(cluster, topic)
    client.produce(topic, "second")
    leader = cluster.leader(topic)
    with ThreadPoolExecutor(1) as thread:
        with cluster.isolate(leader):
            writing = thread.submit(client.produce, topic, "third")
            cluster.wait_for(lambda: cluster.leader(topic) != leader, what="another leader")
        writing.result()
    cluster.wait_until_in_sync(topic)
    assert client.consume(topic, 3) == [b"first", b"second", b"third"]


def leader_without_power(cluster, client, topic):
    """The leader loses power after it acknowledged a record: the other replicas have it."""
    new_topic(cluster, topic)
    client.produce(topic, "second")
    leader = cluster.leader(topic)
    lost = cluster.node(leader).lose_power()
    assert [loss.end_offset for loss in lost if loss.partition.topic == topic] == [2]
    client.produce(topic, "third")
    cluster.start(leader)
    cluster.wait_until_in_sync(topic)
    assert client.consume(topic, 3) == [b"first", b"second", b"third"]


def leader_with_a_full_disk(cluster, client, topic):
    """The disk of the leader is full, and the node ends."""
    new_topic(cluster, topic)
    leader = cluster.leader(topic)
    cluster.fill_disk(leader)
    client.produce(topic, "second")
    cluster.wait_for(lambda: leader not in cluster.running, what="the leader ends")
    cluster.heal()
    cluster.wait_until_in_sync(topic)
    assert client.consume(topic, 2) == [b"first", b"second"]


MACHINES = [leader_cut_off, leader_without_power, leader_with_a_full_disk]
