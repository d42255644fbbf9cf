"""S3: what a run makes on the machine has its owner's mark."""

import os
import subprocess
import sys

from minikafka.harness.clusters import owner
from minikafka.harness.clusters.owner import MARK_LENGTH, is_gone, mark


def test_the_mark_of_a_live_process():
    assert len(mark()) == MARK_LENGTH
    assert mark() == mark()
    assert not is_gone(mark())


def test_a_process_that_has_ended_is_gone_even_before_it_is_waited_for():
    told = "from minikafka.harness.clusters.owner import mark; print(mark(), flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", told], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        found = process.stdout.readline().strip()
        assert found != mark()
        assert not is_gone(found)
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert is_gone(found)
    assert is_gone(found)


def test_a_reused_id_is_another_process(monkeypatch):
    before = mark()
    half = MARK_LENGTH // 2
    assert is_gone(before[:half] + ("00000" if before[half:] != "00000" else "00001"))
    monkeypatch.setattr(owner.Path, "read_text", lambda _: "1 (a) b) S" + " 7" * 40)
    assert mark() != before
    assert mark().endswith("00007")


def test_a_name_without_a_mark_has_no_owner():
    assert not is_gone("")
    assert not is_gone("-")
    assert not is_gone("zzzzz")
