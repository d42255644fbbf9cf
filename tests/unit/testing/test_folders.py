import os
import subprocess
import sys
from pathlib import Path

import pytest

from minikafka.testing import ClusterError
from minikafka.testing.folders import open_folder, remove_leftovers
from minikafka.testing.locks import take_lock


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def test_a_temporary_folder_is_removed_when_it_is_closed(temporary):
    folder = open_folder(None, keep=False)
    (folder.path / "node-1").mkdir()
    (folder.path / "node-1" / "log").write_text("x")
    assert remove_leftovers() == []
    assert not folder.close(failed=False)
    assert list(temporary.iterdir()) == []


def test_a_given_directory_is_kept_unless_it_is_new_and_the_start_failed(temporary):
    for exists in (True, False):
        for failed in (True, False):
            path = temporary / f"given-{exists}-{failed}"
            if exists:
                path.mkdir()
            folder = open_folder(path, keep=False)
            (path / "file").write_text("x")
            is_kept = exists or not failed
            assert folder.close(failed=failed) == (folder.path if is_kept else None)
            assert path.exists() is is_kept
            if is_kept:
                assert [each.name for each in path.iterdir()] == ["file"]


def test_only_new_folders_are_cleared(temporary):
    (temporary / "old").mkdir()
    (temporary / "old" / "file").write_text("x")
    for name, left in (("old", ["file"]), ("new", [])):
        folder = open_folder(temporary / name, keep=False)
        (folder.path / "file").write_text("x")
        folder.clear()
        assert [path.name for path in folder.path.iterdir() if path.suffix != ".lock"] == left
        folder.close(failed=False)


def test_a_folder_has_one_owner(temporary):
    folder = open_folder(temporary / "one", keep=False)
    with pytest.raises(ClusterError, match="already running in .*one; stop it first"):
        open_folder(temporary / "one", keep=False)
    folder.close(failed=False)
    open_folder(temporary / "one", keep=False).close(failed=False)


def test_folders_of_processes_that_have_ended_are_removed(temporary):
    program = (
        "import os, sys, tempfile; tempfile.tempdir = sys.argv[1];"
        "from minikafka.testing.folders import open_folder;"
        "print(open_folder(None, keep=sys.argv[2] == 'keep').path); sys.stdout.flush();"
        "os._exit(9)"
    )
    gone, kept = (
        subprocess.run(
            [sys.executable, "-c", program, str(temporary), how], capture_output=True, text=True,
            check=False,
        ).stdout.strip()
        for how in ("remove", "keep")
    )  # fmt: skip
    own = open_folder(None, keep=False)
    (temporary / "minikafka-of-others").mkdir()
    (temporary / "minikafka-a-file").write_text("x")
    assert [str(path) for path in remove_leftovers()] == [gone]
    assert Path(kept).is_dir()
    assert own.path.is_dir()
    own.close(failed=False)
    assert (temporary / "minikafka-of-others").is_dir()


def test_a_forked_process_does_not_hold_the_lock(tmp_path):
    lock = take_lock(tmp_path / "lock")
    assert take_lock(tmp_path / "lock") is None
    start, go = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(go)
        os.read(start, 1)
        os._exit(0)
    lock.close()
    again = take_lock(tmp_path / "lock")
    os.close(go)
    os.close(start)
    os.waitpid(pid, 0)
    assert again is not None
    again.close()
