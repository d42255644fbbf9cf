"""What a broker does with its replicas at intervals."""

from minikafka.messages.fetch import FetchResponse
from tests.unit.replica.conftest import batch_of
from tests.unit.replica.managed_world import CHECKPOINT_MS, DIRS, T

TICK_MS = 1_000
DELETE_DELAY_MS = 60_000


def test_disk_that_fails_at_a_checkpoint_is_given_up(spread):
    spread.disks[1].broken = "read-only"
    spread.run(CHECKPOINT_MS)
    assert spread.offline == [DIRS[1]]
    assert list(spread.manager.partitions) == [T]


def test_lagging_follower_is_proposed_to_leave(leading):
    leading.partition().append_as_leader(batch_of(1), required_acks=1)
    leading.run(29_999)
    assert leading.partition().isr.proposed is None
    leading.run(30_000)
    assert leading.partition().isr.proposed == (1,)


def test_log_start_that_retention_moved_is_sent_to_the_leader(following):
    """The leader deletes records when all replicas have."""
    log = following.partition().log
    log.append_as_follower(batch_of(3), leader_epoch=0, now=following.env.clock.now)
    fetch = following.one()
    log.update_high_watermark(3)
    log.increment_log_start_offset(2)
    following.run(TICK_MS)
    following.answer(fetch, FetchResponse(session_id=7))
    (wanted,) = following.one().body.topics[0].partitions
    assert wanted.log_start_offset == 2


def test_folders_of_a_deleted_topic_are_deleted_after_their_delay(spread):
    spread.apply(spread.no_topic())
    assert len(spread.files()) == 2
    spread.run(DELETE_DELAY_MS + 2 * TICK_MS)
    assert spread.files() == []
