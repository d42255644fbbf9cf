"""The state that minikafka watch shows, and the live display."""

from minikafka.admin.client import AdminError
from minikafka.commands import watch
from tests.worlds.fake_cluster import FakeCluster, FakePartition


def test_a_live_picture_shows_partitions_changes_and_problems():
    """What the terminal shows, printed as text."""
    from rich.console import Console

    fake = FakeCluster().add("t", FakePartition(1, [1, 2], [1, 2]), FakePartition(1, [1], [1]))
    seen = watch.Watch(fake, ["t"])
    seen.look()
    fake.topics["t"].partitions[0].isr = [1]
    fake.topics["t"].partitions[0].is_recovering = True
    seen.look()
    console = Console(width=120, height=24)
    with console.capture() as captured:
        console.print(watch._picture(seen, 10))
    text = captured.get()
    assert "RECOVERING" in text
    assert "t-0: 2 left the ISR" in text
    assert "and 1 more" in text
    assert "the server does not serve it" in text  # this one tells no offsets


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
