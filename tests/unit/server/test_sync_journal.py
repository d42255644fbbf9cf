"""S3: the loss of what was not flushed, and of nothing else."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minikafka.common.clock import Now
from minikafka.common.ids import TopicPartition, Uuid
from minikafka.log.config import LogConfig
from minikafka.log.recovery.log_loader import CheckpointedOffsets
from minikafka.log.unified_log import UnifiedLog
from minikafka.records.builder import NewRecord, build_batch
from minikafka.server.debug_hooks import DebugDisk, DebugHooks
from minikafka.server.sync_journal import (
    Cut,
    Durable,
    Loss,
    cut_power,
    drop_unsynced,
    read_journal,
)

NOW = Now(0, 1_700_000_000_000)
AT = TopicPartition("t", 0)


@pytest.mark.parametrize(
    ("lines", "sizes", "nameless"),
    [
        (["create\t/d/a\t"], {"/d/a": 0}, ["/d/a"]),
        (["create\t/d/a\t", "names\t/d\t"], {"/d/a": 0}, []),
        (["create\t/d/a\t", "names\t/\t"], {"/d/a": 0}, ["/d/a"]),
        (["create\t/a\t", "sync\t/a\t5", "truncate\t/a\t3"], {"/a": 3}, []),
        (["sync\t/a\t5", "truncate\t/a\t0", "create\t/a\t"], {"/a": 0}, []),
        (["sync\t/a\t5", "truncate\t/a\t9"], {"/a": 5}, []),
        (["truncate\t/a\t3"], {}, []),
        (["sync\t/a.tmp\t5", "sync\t/a\t9", "rename\t/a.tmp\t/a"], {"/a": 5}, []),
        (["create\t/a.tmp\t", "rename\t/a.tmp\t/a"], {"/a": 0}, []),
        (["sync\t/d/a\t5", "sync\t/db\t1", "rename\t/d\t/e"], {"/e/a": 5, "/db": 1}, []),
        (["sync\t/d/a\t5", "sync\t/db\t1", "remove\t/d\t"], {"/db": 1}, []),
    ],
)
def test_durable_bytes_after_a_journal(lines, sizes, nameless):
    durable = read_journal(line + "\n" for line in lines)
    assert (durable.sizes, list(durable.nameless)) == (sizes, nameless)


def test_an_incomplete_line_is_ignored():
    assert read_journal(["sync\t/a\t5\n", "sync\t/a\t57"]).sizes == {"/a": 5}


def log_at(tmp_path, disk, *, clean):
    return UnifiedLog.open(
        disk, str(AT), AT, config=LogConfig(segment_bytes=400),
        checkpointed=CheckpointedOffsets(clean=clean, recovery_point=0), now=NOW,
        rng=Random(0), topic_id=Uuid.of(1, 2),
    )  # fmt: skip


def append(log, numbers):
    for number in numbers:
        rows = [NewRecord(NOW.wall_ms, None, b"%d" % (2 * number + i)) for i in range(2)]
        log.append_as_leader(memoryview(build_batch(rows)), leader_epoch=0, now=NOW)


@pytest.mark.parametrize("synced", range(10))
def test_a_power_cut_loses_exactly_the_unflushed_data(tmp_path, synced):
    """S3, C4: segments are rolled meanwhile; what is left can be recovered."""
    disk = DebugDisk(str(tmp_path / "data"), DebugHooks(tmp_path / "debug"))
    log = log_at(tmp_path, disk, clean=True)
    append(log, range(synced))
    if (flush := log.take_flush(everything=True)) is not None:
        flush.run()
        log.flushed(flush)
    append(log, range(synced, 10))
    killed = []
    cuts, losses = cut_power(lambda: killed.append(log.abandon()), tmp_path / "debug")
    assert len(killed) == 1
    assert losses == ([Loss(AT, 2 * synced, 20)])
    assert all(cut.kept < cut.size for cut in cuts)
    log = log_at(tmp_path, disk, clean=False)
    assert log.log_end_offset == 2 * synced
    log.close()


def test_the_metadata_log_loses_nothing_that_was_acknowledged(tmp_path):
    """What no voter had synced was not committed: the cut is told, a loss is not."""
    folder = tmp_path / "__cluster_metadata-0"
    folder.mkdir()
    segment = folder / ("0" * 20 + ".log")
    segment.write_bytes(build_batch([NewRecord(NOW.wall_ms, None, b"a record")]))
    size = segment.stat().st_size
    assert drop_unsynced(Durable({str(segment): 0})) == ([Cut(segment, 0, size)], [])
    assert segment.stat().st_size == 0


@given(written=st.integers(0, 50), synced=st.integers(0, 60))
def test_a_file_ends_where_it_was_synced(tmp_path_factory, written, synced):
    path = tmp_path_factory.mktemp("cut") / "any"
    path.write_bytes(b"x" * written)
    cuts, losses = drop_unsynced(Durable({str(path): synced, str(path) + "-gone": 3}))
    assert path.stat().st_size == min(written, synced)
    assert cuts == ([Cut(path, synced, written)] if synced < written else [])
    assert losses == []


def test_a_file_in_no_folder_is_gone(tmp_path):
    path = tmp_path / "new"
    path.write_bytes(b"")
    assert drop_unsynced(Durable({str(path): 0}, {str(path): None})) == ([], [])
    assert not path.exists()
