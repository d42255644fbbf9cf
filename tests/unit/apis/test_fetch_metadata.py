"""Fetches of the metadata log: what is answered at once, and what waits for news."""

from types import SimpleNamespace

import pytest

from minikafka.apis.fetch_metadata import fetch_metadata
from minikafka.common.ids import METADATA_TOPIC_ID, Uuid
from minikafka.messages.fetch import (
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    ReplicaState,
)
from tests.worlds.quorum_world import CLUSTER_ID, QuorumWorld
from tests.worlds.voter_world import VoterWorld, directory_of

UNSAID = FetchPartition().high_watermark


@pytest.fixture
def raft():
    world = QuorumWorld.started(config={"metadata.max.idle.interval.ms": "0"})
    return world.raft


def fetched(raft, high_watermark, version=18):
    ctx = SimpleNamespace(
        authorizer=None,
        services=SimpleNamespace(raft=raft, cluster_id=CLUSTER_ID),
        version=version,
        deadline_ms=lambda wait_ms: wait_ms,
    )
    wanted = FetchPartition(
        current_leader_epoch=raft.epoch,
        fetch_offset=raft.end_offset,
        last_fetched_epoch=raft.log.last_epoch,
        replica_directory_id=Uuid.of(6, 6),
        high_watermark=high_watermark,
    )
    request = FetchRequest(
        cluster_id=CLUSTER_ID,
        replica_state=ReplicaState(replica_id=1, replica_epoch=-1),
        max_wait_ms=500,
        topics=[FetchTopic(topic_id=METADATA_TOPIC_ID, partitions=[wanted])],
    )
    return fetch_metadata(ctx, request)


@pytest.mark.parametrize("behind", [1, 2])
def test_a_commit_between_two_fetches_is_told_at_once(raft, behind):
    """KIP-1166: the records are known to the fetcher, that they are committed is not."""
    answer = fetched(raft, raft.high_watermark - behind)
    assert isinstance(answer, FetchResponse)
    (data,) = answer.responses[0].partitions
    assert (data.error_code, data.high_watermark, data.records) == (0, raft.high_watermark, b"")


def test_an_observer_that_knows_no_high_watermark_is_told_it(raft):
    assert isinstance(fetched(raft, -1), FetchResponse)


@pytest.mark.parametrize("known", ["the same", "nothing was said"])
def test_without_news_a_fetch_waits(raft, known):
    high_watermark = raft.high_watermark if known == "the same" else UNSAID
    assert not isinstance(fetched(raft, high_watermark), FetchResponse)


def test_a_part_of_a_batch_counts_for_no_high_watermark():
    """No replica has a part of a batch, and a high watermark within one commits all of it."""
    world = VoterWorld.started().elect()
    raft = world.raft
    for _ in range(2):
        world.fetched_by(102)
    for offset in range(raft.end_offset + 1):
        wanted = FetchPartition(
            current_leader_epoch=raft.epoch,
            fetch_offset=offset,
            last_fetched_epoch=raft.log.last_epoch if offset else 0,
            replica_directory_id=directory_of(101),
        )
        request = FetchRequest(
            replica_state=ReplicaState(replica_id=101, replica_epoch=-1),
            max_wait_ms=0,
            topics=[FetchTopic(topic_id=METADATA_TOPIC_ID, partitions=[wanted])],
        )
        data = world.ask(fetch_metadata, request, 18).responses[0].partitions[0]
        assert data.error_code == 0
        known = raft.progress.of(raft.voters.voters[101]).log_end_offset
        assert known in {batch.base_offset for batch in raft.log.batches(0, raft.end_offset)} | {
            raft.end_offset
        }
        assert known <= offset
    assert known == raft.end_offset
