"""Groups: one owner a partition in a generation, and commits that stay where they are."""

import pytest

from minikafka.common.ids import TopicPartition
from minikafka.history.group_anomalies import moved_commits, shared_partitions
from minikafka.history.operations import Commit, Owned, Resume

WHERE = TopicPartition("t", 0)


def never():
    return False


def sent(offset):
    return Commit("g", WHERE, offset, acknowledged=False)


def done(offset):
    return Commit("g", WHERE, offset, acknowledged=True)


def resume(offset, *, by_deposed=False):
    return Resume("g", WHERE, offset, by_deposed)


def test_two_owners_in_one_generation():
    mine = Owned("g", 3, "a", WHERE)
    assert not list(shared_partitions([mine, mine, Owned("g", 4, "b", WHERE)], never))
    (found,) = shared_partitions([mine, Owned("g", 3, "b", WHERE)], never)
    assert found.text == "t-0 belongs to a and b in generation 3 of g"


@pytest.mark.parametrize(
    ("happened", "moved"),
    [
        ([resume(-1), sent(5), done(5), resume(5)], False),
        ([sent(5), done(5), resume(-1)], True),
        ([sent(5), done(5), sent(7), done(7), resume(5)], True),
        ([sent(5), done(5), sent(7), resume(5)], False),
        ([sent(5), done(5), sent(7), resume(7)], False),
        ([sent(7), sent(7), done(7), sent(9), done(9), resume(7)], False),
        ([sent(7), done(7), sent(9), done(9), resume(7)], True),
        ([resume(3)], True),
        ([sent(5), done(5), sent(7), done(7), resume(5, by_deposed=True)], False),
        ([sent(5), done(5), sent(7), done(7), resume(5, by_deposed=True), resume(5)], True),
    ],
)
def test_commits_that_moved(happened, moved):
    assert bool(list(moved_commits(happened, never))) is moved
    assert not list(moved_commits(happened, lambda: True))
