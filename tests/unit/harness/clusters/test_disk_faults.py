"""S3: volumes that can be full."""

import errno
import subprocess

import pytest

from minikafka.harness.clusters import disk_faults
from minikafka.harness.clusters.disk_faults import Volumes, volume_mib
from minikafka.harness.plan.settings import RunSettings


@pytest.fixture
def mounts(monkeypatch):
    """Every mount and unmount; they work unless `refused` says otherwise."""
    found, refused = [], []

    def run(command, **_):
        found.append(command[1:])
        return subprocess.CompletedProcess(command, int(bool(refused)))

    monkeypatch.setattr(disk_faults.subprocess, "run", run)
    return found, refused


def test_the_size_of_a_volume_follows_the_run_up_to_a_limit():
    assert 64 < volume_mib(RunSettings()) < 128
    assert volume_mib(RunSettings(seconds=86_400)) == 0


def test_a_volume_is_mounted_and_its_files_stay_when_it_goes(tmp_path, mounts):
    found, _ = mounts
    volumes = Volumes()
    folder = tmp_path / "data"
    assert volumes.mount(1, folder, 64)
    assert volumes.has(1)
    assert not volumes.has(2)
    (folder / "t-0").mkdir()
    (folder / "t-0" / "log").write_text("kept")
    volumes.unmount(tmp_path)
    assert (folder / "t-0" / "log").read_text() == "kept"
    assert [command[0] for command in found] == ["-t", "-l"]
    assert not volumes.has(1)


def test_missing_rights_to_mount_are_reported(tmp_path, mounts, monkeypatch):
    _, refused = mounts
    refused.append(True)
    volumes = Volumes()
    assert not volumes.mount(1, tmp_path / "data", 64)
    monkeypatch.setattr(disk_faults.shutil, "which", lambda _: None)
    assert not volumes.mount(1, tmp_path / "data", 64)
    assert not volumes.has(1)


def test_ballast_takes_the_last_byte_and_is_removed(tmp_path, mounts, monkeypatch):
    left = [3 * (1 << 20) + 2 * 4_096 + 5]

    class Full:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def write(self, block):
            if len(block) > left[0]:
                raise OSError(errno.ENOSPC, "full")
            left[0] -= len(block)
            return len(block)

    volumes = Volumes()
    volumes.mount(1, tmp_path, 64)
    monkeypatch.setattr(disk_faults.Path, "open", lambda *_, **__: Full())
    assert volumes.fill(1) == 3 * (1 << 20) + 2 * 4_096 + 5
    assert left == [0]
    monkeypatch.undo()
    (tmp_path / "ballast").touch()
    volumes.free(1)
    assert not (tmp_path / "ballast").exists()
