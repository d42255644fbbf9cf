"""Each partition is fetched from its current leader, at the leader's current address."""

from minikafka.common.effects import Channel, CloseChannel
from minikafka.common.ids import TopicPartition
from tests.unit.replica.conftest import batch_of
from tests.unit.replica.managed_world import DIRS, T


def test_follower_fetches_from_its_leader(following):
    assert not following.partition().is_leader
    assert following.fetches() == [(2, 0, 0)]
    assert list(following.manager.led()) == []


def test_follower_that_is_elected_stops_fetching(following):
    following.fetches()
    following.apply(following.put(1, epoch=1))
    assert following.partition().is_leader
    assert following.led == [(T, 2, 0), (T, 1, 1)]
    following.sent()
    assert following.others == [CloseChannel(Channel("h", 2, "replica"))]
    assert following.fetches(60_000) == []


def test_leader_that_loses_its_election_follows(leading):
    leading.apply(leading.put(2, epoch=1))
    assert not leading.partition().is_leader
    assert leading.fetches() == [(2, 0, 1)]


def test_partition_without_a_leader_is_not_fetched(following):
    following.fetches()
    following.apply(following.put(-1, epoch=1))
    assert following.fetches(60_000) == []
    following.apply(following.put(2, epoch=2))
    assert following.fetches() == [(2, 0, 2)]


def test_isr_change_leaves_the_fetcher_alone(following):
    following.fetches()
    following.apply(following.put(2, isr=(2,)))
    assert following.sent() == []
    assert following.led == [(T, 2, 0)]


def test_leader_that_is_not_registered_is_followed_once_it_is(managed):
    managed.start(managed.topic(), managed.put(2))
    assert managed.fetches() == []
    managed.apply(managed.broker(2, port=2))
    assert managed.fetches() == [(2, 0, 0)]


def test_leader_that_listens_elsewhere_is_followed_there(following):
    following.fetches()
    following.apply(following.broker(2, port=22))
    assert following.fetches() == [(22, 0, 0)]
    assert following.others == [CloseChannel(Channel("h", 2, "replica"))]


def test_leader_that_moved_and_was_elected_again_is_asked_at_its_new_address_only(managed):
    managed.start(
        managed.broker(1),
        managed.broker(2, port=2),
        managed.topic(),
        managed.put(2),
        managed.put(2, index=1),
    )
    assert managed.fetches() == [(2, 0, 0), (2, 1, 0)]
    managed.apply(managed.broker(2, port=22), managed.put(2, epoch=1))
    assert sorted(managed.fetches()) == [(22, 0, 1), (22, 1, 0)]
    assert managed.others == [CloseChannel(Channel("h", 2, "replica"))]
    managed.apply(managed.put(1, epoch=2), managed.put(1, index=1, epoch=2))
    assert managed.fetches(60_000) == []


def test_disk_that_fails_when_a_leader_becomes_known_takes_only_its_own(managed):
    managed.start(
        managed.topic(), managed.put(2, directory=DIRS[0]), managed.put(1, 1, directory=DIRS[1])
    )
    log = managed.partition(0).log
    log.append_as_follower(batch_of(2), leader_epoch=0, now=managed.env.clock.now)
    log.leader_epochs.clear()
    managed.disks[0].broken = "read-only"
    managed.apply(managed.broker(2, port=2))
    assert managed.offline == [DIRS[0]]
    assert list(managed.manager.partitions) == [TopicPartition("t", 1)]


def test_stopping_broker_follows_no_leader(following):
    following.fetches()
    following.manager.stop_fetching()
    assert following.fetches(60_000) == []
    assert following.others == [CloseChannel(Channel("h", 2, "replica"))]
