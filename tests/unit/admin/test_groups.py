"""Groups of a cluster of several brokers."""

from minikafka.admin.groups import list_all_groups
from tests.worlds.fake_cluster import FakeCluster


def test_groups_of_all_brokers_are_found_once_each():
    """A group that moves may be listed by two brokers."""
    cluster = FakeCluster()
    cluster.groups = {1: ["g2", "g1"], 3: ["g1"]}
    assert sorted(it.group_id for it in list_all_groups(cluster)) == ["g1", "g2"]
