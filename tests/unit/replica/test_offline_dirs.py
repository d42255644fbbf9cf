"""Log directories that go offline: the report, the last one, the one with the metadata log."""

from random import Random
from types import SimpleNamespace

import pytest

from minikafka.common.effects import Halt
from minikafka.common.environment import Environment
from minikafka.common.faults import StorageFault
from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.replica.offline_dirs import OfflineDirs


class World:
    def __init__(self, *directories):
        self.env = Environment(Random(1))
        self.reported = []
        rows = [
            SimpleNamespace(directory_id=directory_id, disk=SimpleNamespace(root=root))
            for root, directory_id in directories
        ]
        self.logs = SimpleNamespace(directories=rows, online=list(rows))
        lifecycle = SimpleNamespace(report_offline_dir=self.reported.append)
        self.offline = OfflineDirs(self.env, self.logs, lifecycle, "/meta")

    def fails(self, root):
        self.logs.online = [each for each in self.logs.online if each.disk.root != root]
        self.offline.report(StorageFault(root, "Input/output error"))


def test_an_offline_directory_is_reported_and_the_node_goes_on():
    world = World(("/a", Uuid.of(1, 1)), ("/b", Uuid.of(2, 2)))
    world.fails("/a")
    assert (world.reported, world.env.effects) == ([Uuid.of(1, 1)], [])


def test_the_node_stops_with_its_last_directory():
    world = World(("/a", Uuid.of(1, 1)))
    world.fails("/a")
    assert world.env.effects == [Halt(1, "no log directory is left")]


def test_a_directory_without_a_known_id_cannot_be_reported():
    world = World(("/a", ZERO_UUID), ("/b", Uuid.of(2, 2)))
    world.fails("/a")
    assert (world.reported, world.env.effects) == ([], [])


def test_the_directory_of_the_metadata_log_ends_the_node():
    world = World(("/a", Uuid.of(1, 1)))
    with pytest.raises(StorageFault, match="Input/output error"):
        world.fails("/meta")
    assert world.reported == []
