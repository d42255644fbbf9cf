from random import Random

import pytest

from minikafka.common.clock import Now
from minikafka.common.ids import TopicPartition, Uuid
from minikafka.harness.clusters.power_cut import Loss, cut_power, drop_unflushed
from minikafka.harness.plan.settings import HarnessError
from minikafka.log.checkpoints import CLEAN_SHUTDOWN, RECOVERY_POINTS, write_offsets
from minikafka.log.config import LogConfig
from minikafka.log.recovery.log_loader import CheckpointedOffsets
from minikafka.log.unified_log import UnifiedLog
from minikafka.records.builder import NewRecord, build_batch
from minikafka.server.os_disk import OsDisk

NOW = Now(0, 1_700_000_000_000)
AT = TopicPartition("t", 0)
SEGMENT_BYTES = 400


def open_log(home, *, clean, recovery_point=0, at=AT):
    return UnifiedLog.open(
        OsDisk(str(home)), str(at), at, config=LogConfig(segment_bytes=SEGMENT_BYTES),
        checkpointed=CheckpointedOffsets(clean=clean, recovery_point=recovery_point), now=NOW,
        rng=Random(0), topic_id=Uuid.of(1, 2),
    )  # fmt: skip


def fill(home, batches=20, at=AT):
    """Batches of two records; the process ends as if it was killed."""
    log = open_log(home, clean=True, at=at)
    for number in range(batches):
        rows = [NewRecord(NOW.wall_ms, None, b"%d" % (2 * number + i)) for i in range(2)]
        log.append_as_leader(memoryview(build_batch(rows)), leader_epoch=number // 8, now=NOW)
    log.abandon()


def flushed(home, **points):
    write_offsets(
        OsDisk(str(home)), RECOVERY_POINTS,
        {TopicPartition(topic, 0): offset for topic, offset in points.items()},
    )  # fmt: skip


def segments(home, at=AT):
    return [int(path.stem) for path in sorted((home / str(at)).glob("*.log"))]


@pytest.mark.parametrize("point", range(41))
def test_a_log_ends_at_its_recovery_point_and_can_be_recovered(tmp_path, point):
    """C4, E13: what is lost is reported, whole batches of it, over all segments."""
    fill(tmp_path)
    flushed(tmp_path, t=point)
    kept = point - point % 2
    expected = [Loss(AT, kept, 40)] if kept < 40 else []
    assert drop_unflushed(tmp_path) == expected
    log = open_log(tmp_path, clean=False, recovery_point=point)
    assert log.log_end_offset == kept
    assert all(base <= point for base in segments(tmp_path))
    log.close()


def test_a_log_without_a_recovery_point_loses_everything(tmp_path):
    fill(tmp_path)
    assert drop_unflushed(tmp_path) == [Loss(AT, 0, 40)]
    assert segments(tmp_path) == [0]
    assert (tmp_path / "t-0" / f"{0:020d}.log").stat().st_size == 0


def test_later_segments_go_with_their_indexes(tmp_path):
    fill(tmp_path)
    before = segments(tmp_path)
    assert len(before) > 3
    flushed(tmp_path, t=before[1] + 2)
    drop_unflushed(tmp_path)
    left = sorted(path.name for path in (tmp_path / "t-0").iterdir())
    assert segments(tmp_path) == before[:2]
    assert not [name for name in left if name.startswith(f"{before[2]:020d}")]
    # Those of a segment that was flushed stay; those of the one that was cut are built again.
    assert f"{before[0]:020d}.index" in left
    assert f"{before[1]:020d}.index" not in left


def test_an_unfinished_write_at_the_end_goes_as_well(tmp_path):
    fill(tmp_path)
    flushed(tmp_path, t=10)
    last = max((tmp_path / "t-0").glob("*.log"))
    with last.open("ab") as file:
        file.write(b"\0" * 30)
    assert drop_unflushed(tmp_path) == [Loss(AT, 10, 40)]


def test_a_node_is_killed_before_its_directories_are_cut(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        fill(tmp_path / name, batches=2, at=TopicPartition(name, 0))
    killed = []
    losses = cut_power(lambda: killed.append(1), [tmp_path / "two", tmp_path / "one"])
    assert killed == [1]
    assert [str(loss) for loss in losses] == ["one-0 offsets 0-3", "two-0 offsets 0-3"]


def test_a_clean_shutdown_has_nothing_to_lose(tmp_path):
    """C1: the file says that everything was flushed."""
    (tmp_path / CLEAN_SHUTDOWN).write_text("{}")
    with pytest.raises(HarnessError, match="clean shutdown"):
        drop_unflushed(tmp_path)


def test_the_metadata_log_is_left_alone(tmp_path):
    at = TopicPartition("__cluster_metadata", 0)
    fill(tmp_path, batches=2, at=at)
    assert drop_unflushed(tmp_path) == []
    assert (tmp_path / str(at) / f"{0:020d}.log").stat().st_size > 0
