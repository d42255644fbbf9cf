"""Fetch sessions that check only changed partitions respond as those that check all (H2, H5).

Two clusters play the same: one broker leads, followers and consumers are played by the test. In one
of them a session walks all its partitions. Answers, their times, the ISR and what the leader knows
of its followers must be the same at every moment.
"""

from dataclasses import dataclass, field
from functools import partial
from random import Random
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from minikafka.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from minikafka.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from minikafka.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from minikafka.messages.fetch import (
    FetchPartition,
    FetchRequest,
    FetchTopic,
    ForgottenTopic,
    ReplicaState,
)
from minikafka.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from minikafka.records.scan import split_batches
from minikafka.replica.fetch_session import Session
from minikafka.sim.world.sim_cluster import INTERNAL_PORT
from tests.worlds.fetch_model import WalkingSession
from tests.worlds.sim_world import (
    batch,
    create_topic,
    produce_request,
    registration,
    started_cluster,
)

BY_ID = 17
PARTITIONS = 4
TOPIC = "t"
GIVEN = {
    "broker.session.timeout.ms": "600000",
    "replica.lag.time.max.ms": "2000",
    "log.retention.check.interval.ms": "1000",
    "log.initial.task.delay.ms": "100",
    "auto.leader.rebalance.enable": "false",
}


@dataclass
class Reader:
    """A client with a session: a follower (its broker's id), or a consumer (-1)."""

    client: object
    replica_id: int
    offsets: dict[int, int] = field(default_factory=lambda: dict.fromkeys(range(PARTITIONS), 0))
    epochs: dict[int, int] = field(default_factory=lambda: dict.fromkeys(range(PARTITIONS), -1))
    told: dict[int, tuple[int, int]] = field(default_factory=dict)
    session_id: int = 0
    session_epoch: int = 0
    waits: bool = False


class Play:
    """One of the two clusters, with its followers and consumers."""

    def __init__(self, kind):
        self.cluster = started_cluster(3, seed=5, given=GIVEN, separate_controller=True)
        self.trace = []
        self.topic_id = create_topic(
            self.cluster, TOPIC, replicas=[[1, 2, 3]] * 3 + [[2, 1, 3]],
            config={"min.insync.replicas": "2", "segment.ms": "1000"},
        )  # fmt: skip
        self.cluster.world.run(500)
        broker = self.cluster.nodes[1].node.broker
        broker.fetch_sessions.kind = kind
        for session in list(broker.fetch_sessions._sessions):
            broker.fetch_sessions._drop(session)
        self.epoch_of = {
            node: self.cluster.nodes[node].node.broker.local.broker_epoch for node in (2, 3)
        }
        for node in (2, 3):
            self.cluster.nodes[node].pause()
        self.proposals_wait_ms = 0
        for partition in broker.replicas.partitions.values():
            partition.proposals = SimpleNamespace(
                propose=partial(self.propose, partition.proposals.propose)
            )
        self.readers = [
            Reader(self.cluster.client(f"r{number}", port=INTERNAL_PORT), replica)
            for number, replica in enumerate((2, 3, -1, -1))
        ]
        self.others = self.cluster.client("others")
        self.admin = self.cluster.client("admin")

    def propose(self, propose, partition, proposal):
        """A leader's proposal, which may need a long time to get to the controller."""
        env = self.cluster.nodes[1].node.env
        env.after(self.proposals_wait_ms, partial(propose, partition, proposal))

    def delay_proposals(self, rng):
        self.proposals_wait_ms = rng.choice((0, 0, 9000))

    def hold_proposals(self, _rng):
        self.proposals_wait_ms = 60_000

    def fetch(self, rng):
        reader = rng.choice(self.readers)
        request = self.request(rng, reader)
        if reader.waits:
            return
        reader.waits = True
        reader.client.send(request, lambda it: self.fetched(reader, it), version=BY_ID)

    def request(self, rng, reader):
        """A request with partitions new to the session; the draws do not depend on responses."""
        restarts, forgets, stale = rng.random() < 0.05, rng.random() < 0.1, rng.random() < 0.05
        dropped, isolation = rng.randrange(PARTITIONS), rng.randrange(2)
        wait_ms, min_bytes = rng.choice((0, 0, 30, 200)), rng.choice((1, 1, 300))
        max_bytes, each = rng.choice((150, 1 << 20)), rng.choice((100, 1 << 20))
        if restarts or reader.session_id == 0:
            reader.session_epoch = 0
            reader.told = {}
        named, forgotten = [], []
        for index, offset in reader.offsets.items():
            epoch = reader.epochs[index]
            if forgets and index == dropped and index in reader.told:
                forgotten.append(index)
                del reader.told[index]
            elif reader.told.get(index) != (offset, epoch) or (stale and index == dropped):
                named.append(
                    FetchPartition(
                        partition=index, fetch_offset=offset, partition_max_bytes=each,
                        last_fetched_epoch=epoch if reader.replica_id >= 0 else -1,
                        current_leader_epoch=0 if stale and index == dropped else -1,
                        log_start_offset=0 if reader.replica_id >= 0 else -1,
                    )
                )  # fmt: skip
                reader.told[index] = (offset, epoch)
        return FetchRequest(
            replica_state=ReplicaState(reader.replica_id, self.epoch_of.get(reader.replica_id, -1)),
            max_wait_ms=wait_ms,
            min_bytes=min_bytes,
            max_bytes=max_bytes,
            isolation_level=isolation if reader.replica_id < 0 else 0,
            session_id=reader.session_id,
            session_epoch=reader.session_epoch,
            topics=[FetchTopic(topic_id=self.topic_id, partitions=named)] if named else [],
            forgotten_topics_data=(
                [ForgottenTopic(topic_id=self.topic_id, partitions=forgotten)] if forgotten else []
            ),
        )

    def fetched(self, reader, answer):
        reader.waits = False
        for topic in () if answer is None else answer.responses:
            for data in topic.partitions:
                data.records = bytes(data.records or b"")
        self.trace.append((self.cluster.world.now_us, reader.replica_id, repr(answer)))
        if answer is None or answer.error_code:
            reader.session_id = 0
            return
        reader.session_id = answer.session_id
        reader.session_epoch += 1
        for topic in answer.responses:
            for data in topic.partitions:
                self.read(reader, data)

    def read(self, reader, data):
        index = data.partition_index
        if data.diverging_epoch is not None and data.diverging_epoch.epoch >= 0:
            reader.offsets[index] = data.diverging_epoch.end_offset
        elif data.error_code == 1:
            reader.offsets[index] = max(data.log_start_offset, 0)
        for _, header in split_batches(data.records):
            reader.offsets[index] = header.next_offset
            reader.epochs[index] = header.leader_epoch

    def end_session(self, rng):
        """Another connection ends a session, whose fetch may wait."""
        session_id = rng.choice(self.readers).session_id
        if session_id:
            self.send(FetchRequest(session_id=session_id, session_epoch=-1, max_wait_ms=0), BY_ID)

    def write(self, rng):
        values = [b"x" * rng.choice((1, 90))] * rng.randint(1, 3)
        request = produce_request(
            TOPIC, batch(*values), acks=rng.choice((1, -1)), partition=rng.randrange(PARTITIONS),
            timeout_ms=rng.choice((50, 1000)),
        )  # fmt: skip
        self.send(request, 12)

    def send(self, request, version=None):
        """Send a request of another client; its response is part of the trace."""
        self.others.send(
            request,
            lambda it: self.trace.append((self.cluster.world.now_us, repr(it))),
            version=version,
        )

    def delete_records(self, rng):
        wanted = DeleteRecordsPartition(rng.randrange(PARTITIONS), rng.choice((-1, 0, 1, 2)))
        topics = [DeleteRecordsTopic(TOPIC, [wanted])]
        self.send(DeleteRecordsRequest(topics=topics, timeout_ms=20), 2)

    def configure(self, rng):
        key, value = rng.choice(
            (("min.insync.replicas", "1"), ("min.insync.replicas", "3"), ("retention.ms", "1"),
             ("retention.ms", "100000000"), ("min.insync.replicas", "2"))
        )  # fmt: skip
        change = [AlterableConfig(key, 0, value)]
        self.send(
            IncrementalAlterConfigsRequest(resources=[AlterConfigsResource(2, TOPIC, change)])
        )

    def move(self, rng):
        replicas = rng.choice(([1, 2, 3], [2, 1, 3], [1, 2], [1, 3], [2, 3]))
        wanted = [ReassignablePartition(rng.randrange(PARTITIONS), replicas)]
        request = AlterPartitionReassignmentsRequest(
            timeout_ms=1000, topics=[ReassignableTopic(TOPIC, wanted)]
        )
        self.send(request)

    def delete_topic(self, rng):
        if rng.random() < 0.2:
            topics = [DeleteTopicState(name=TOPIC)]
            self.send(DeleteTopicsRequest(topics=topics, timeout_ms=1000))

    def restart(self, rng):
        """A follower's broker registers again; the one that is played may not know."""
        self.register_again(rng, node_id=rng.choice((2, 3)), is_known=rng.random() < 0.5)

    def register_again(self, _rng, *, node_id, is_known):
        followers = [self.cluster.nodes[each] for each in (2, 3)]
        for each in followers:
            # All of them: a controlled shutdown waits until every broker knows of it.
            each.resume()
        node = self.cluster.nodes[node_id]
        node.shut_down()
        self.cluster.world.run(3000)
        assert not node.alive
        node.start()
        self.cluster.world.run(2000)
        for each in followers:
            each.pause()
        if is_known:
            self.epoch_of[node_id] = node.node.broker.local.broker_epoch

    def wait(self, rng):
        self.cluster.world.run(rng.choice((1, 20, 400, 1500, 4000)))

    def state(self):
        """The leader's state of its followers and of the ISR."""
        found = [(TOPIC, index, repr(self.registration(index))) for index in range(PARTITIONS)]
        for name, partition in self.cluster.nodes[1].node.broker.replicas.partitions.items():
            log, now_ms = partition.log, self.cluster.nodes[1].now.monotonic_ms
            found.append(
                (name, partition.isr, log.high_watermark, log.log_end_offset, log.log_start_offset,
                 [(broker, each.log_end_offset, each.is_caught_up(log.log_end_offset, now_ms, 2000))
                  for broker, each in partition.followers.items()])
            )  # fmt: skip
        return found

    def registration(self, index):
        image = self.cluster.nodes[100].node.loader.image
        return registration(self.cluster, TOPIC, index) if TOPIC in image.topic_ids else None


ACTIONS = (
    *[Play.fetch] * 12,
    *[Play.write] * 5,
    *[Play.wait] * 3,
    Play.delete_records,
    Play.configure,
    Play.move,
    Play.delete_topic,
    Play.restart,
    Play.delay_proposals,
    Play.end_session,
)
STEPS = 120


def play(seed, actions=()):
    """Play in both clusters; returns the responses.

    Plays `actions` in their order, or STEPS that are drawn.
    """
    one, other = Play(Session), Play(WalkingSession)
    rng = Random(seed)
    for number, action in enumerate(actions or [rng.choice(ACTIONS) for _ in range(STEPS)]):
        drawn = rng.getrandbits(32)
        for each in (one, other):
            action(each, Random(drawn))
            each.cluster.world.run(2)
        what = f"step {number}, {action}"
        assert one.trace == other.trace, what
        assert one.state() == other.state(), what
    return one.trace


@settings(
    max_examples=25,
    deadline=None,
    database=None,
    phases=(Phase.generate,),
    suppress_health_check=list(HealthCheck),
)
@given(st.integers(0, 2**32))
def test_a_session_answers_as_one_that_walks_all_its_partitions(seed):
    play(seed)


@pytest.mark.parametrize("seed", [186, 654])
def test_two_sessions_of_a_follower_with_different_log_starts(seed):
    """The last one counts, for DeleteRecords, although its partition was quiet."""
    play(seed)


@pytest.mark.parametrize("seed", range(3))
def test_a_follower_that_registers_again_is_stale_while_its_proposal_is_under_way(seed):
    """No ISR changes then: only the registration makes its fetches those of before."""
    leaves = partial(Play.register_again, node_id=2, is_known=True)
    again = partial(Play.register_again, node_id=2, is_known=False)
    fetches = [Play.fetch] * 16
    trace = play(seed, [Play.hold_proposals, leaves, *fetches, again, *fetches])
    assert any("error_code=6" in row[2] for row in trace if len(row) == 3)


@pytest.mark.parametrize("seed", [7])
def test_the_play_has_fetches_with_and_without_records(seed):
    """Otherwise the comparisons above would compare empty responses only."""
    answers = [row[2] for row in play(seed) if len(row) == 3]
    assert any("responses=[]" in each for each in answers)
    assert any("records=b'\\x00" in each or 'records=b"\\x00' in each for each in answers)
