"""Whole small files through the port."""

from random import Random

from minikafka.log.disk import read_file, write_file
from minikafka.sim.world.sim_disk import SimDisk


def test_file_is_replaced_and_no_partial_one_is_left():
    disk = SimDisk()
    disk.open("a.tmp", create=True).append(b"left by a crash")
    write_file(disk, "a", b"one")
    write_file(disk, "a", b"two")
    assert read_file(disk, "a") == b"two"
    assert disk.list("") == ["a"]


def test_synced_file_survives_a_power_loss():
    disk = SimDisk()
    write_file(disk, "a", b"one", sync=True)
    disk.lose_power(Random(0))
    assert read_file(disk, "a") == b"one"


def test_missing_file_is_none():
    assert read_file(SimDisk(), "a") is None
