"""The state that minikafka watch shows, and the live display."""

import pytest

from minikafka.admin.client import AdminError
from minikafka.admin.partition_states import ClusterState, GroupLag, PartitionState
from minikafka.commands import watch, watch_screen
from minikafka.commands.watch_screen import WatchView
from minikafka.commands.watch_table import row
from minikafka.common.ids import TopicPartition
from tests.worlds.fake_cluster import FakeCluster, FakePartition


def test_a_live_picture_shows_partitions_changes_and_problems():
    """What the terminal shows, as text."""
    fake = FakeCluster().add("t", FakePartition(1, [1, 2], [1, 2]), FakePartition(1, [1], [1]))
    seen = watch.Watch(fake, ["t"])
    seen.look()
    fake.topics["t"].partitions[0].isr = [1]
    fake.topics["t"].partitions[0].is_recovering = True
    seen.look()
    lines = [line.text for line in seen.picture(WatchView(), (80, 10))]
    assert lines[1].split() == ["Partition", "Leader", "Ep", "ISR", "HWM", "Rec", "Log", "ends"]
    assert lines[2].split() == ["t-0", "1", "0", "1", "?", "yes", "1,2:?"]
    assert any(line.endswith("t-0: 2 left the ISR") for line in lines)
    assert any("the server does not serve it" in line for line in lines)  # it tells no offsets


def test_the_last_known_log_end_of_a_broker_is_kept():
    name = TopicPartition("t", 0)
    before = ClusterState((1, 2), {name: partition(0, log_ends={1: 9, 2: 8})}, {})
    after = ClusterState((1,), {name: partition(0, log_ends={1: 10})}, {})
    for _ in range(2):
        after = watch._with_former_ends(before, after)
        assert row(after.partitions[name])[7] == "1:10 2:(8)"
        before = after


def partition(number, isr=(1, 2), topic="t", **more):
    return PartitionState(TopicPartition(topic, number), 1, 7, (1, 2), isr, (), (), **more)


def pictured(cluster, view, changes=(), size=(80, 24)):
    return [line.text for line in watch_screen.picture(cluster, view, changes, (), size)]


@pytest.fixture
def many():
    """41 partitions of a topic with a long name, two of them without a replica in sync."""
    topic = "a-topic-with-a-name-that-is-longer-than-its-column-has-room-for-in-80-columns"
    states = [
        partition(
            n, (1,) if n in (7, 40) else (1, 2), topic, high_watermark=3000, log_ends={1: 3000}
        )
        for n in range(41)
    ]
    groups = [GroupLag("readers", "Stable", 12), GroupLag("others", "Empty", None)]
    return ClusterState((1, 2), {it.name: it for it in states}, {}, None, groups)


def test_a_small_terminal_cuts_no_number_of_a_partition_and_shows_changes(many):
    changes = [f"12:00:0{n} t-0: change {n}" for n in range(8)]
    lines = pictured(many, WatchView(), changes)
    assert len(lines) == 24
    assert max(map(len, lines)) <= 80
    assert [line.split()[0].rpartition("-")[2] for line in lines[2:5]] == ["7", "40", "0"]
    assert lines[-7:-1] == changes[2:]
    assert "group readers (Stable): lag 12" in lines
    assert "group others (Empty): lag unknown" in lines
    assert lines[-1].startswith("partitions 1-13 of 41")


def test_a_display_scrolls_and_filters(many):
    view = WatchView()
    lines = pictured(many, view)
    assert view.press("page down", 10)
    assert view.press("down", 10)
    assert pictured(many, view)[2] == lines[13]
    for _ in range(9):
        view.press("page down", 10)
    assert "-39 " in pictured(many, view)[-4]
    view.press("u", 10)
    assert pictured(many, view)[-1].startswith("partitions 1-2 of 2 that are unhealthy")
    view.press("u", 10)
    for key in ("/", "-", "4", "x", "backspace", "enter"):
        assert view.press(key, 10)
    assert pictured(many, view)[-1].startswith("partitions 1-2 of 2 with '-4'")
    assert not view.press("q", 10)


def test_a_cluster_that_falls_silent_keeps_the_last_look():
    fake = FakeCluster().add("t", FakePartition(1, [1], [1]))
    seen = watch.Watch(fake, [])
    seen.look()
    before = seen.cluster

    def silent(_):
        raise AdminError("no answer")

    fake.ask = silent
    assert seen.look_on() == []
    assert (seen.cluster, seen.problem) == (before, "no answer")
