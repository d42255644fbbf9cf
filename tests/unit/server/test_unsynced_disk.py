import os

import pytest

from minikafka.log.disk import write_file
from minikafka.server.os_disk import OsDisk
from minikafka.server.unsynced_disk import UnsyncedDisk


@pytest.fixture
def synced(monkeypatch):
    calls = []
    monkeypatch.setattr(os, "fsync", calls.append)
    monkeypatch.setattr(os, "fdatasync", calls.append)
    return calls


def use(disk):
    disk.make_dir("folder")
    file = disk.open("folder/file", create=True)
    file.append(b"content")
    file.sync()
    disk.sync_dir("folder")
    file.append(b" more")
    assert file.close_if_unused()
    write_file(disk, "small", b"x")
    assert file.read_at(0, 20) == b"content more"
    file.close()


def test_nothing_is_synced(tmp_path, synced):
    use(UnsyncedDisk(str(tmp_path)))
    assert UnsyncedDisk(str(tmp_path)).sync_all()
    assert synced == []
    (tmp_path / "synced").mkdir()
    use(OsDisk(str(tmp_path / "synced")))
    assert len(synced) == 3
