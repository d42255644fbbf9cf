"""Leader epochs that a start reads from batches which recovery has not checked."""

from random import Random

import pytest

from minikafka.common.clock import Now
from minikafka.common.faults import StorageFault
from minikafka.common.ids import TopicPartition
from minikafka.log.checkpoints import LEADER_EPOCHS
from minikafka.log.config import LogConfig
from minikafka.log.disk import read_file, write_file
from minikafka.log.recovery.log_loader import CheckpointedOffsets
from minikafka.log.unified_log import UnifiedLog
from minikafka.records.builder import NewRecord, build_batch
from minikafka.sim.world.sim_disk import SimDisk

NOW = Now(0, 50_000)
CONFIG = LogConfig(segment_bytes=400)
EPOCHS = f"t-0/{LEADER_EPOCHS}"
NAME, LAST = f"{10:020}.log", f"{15:020}.log"


def open_log(disk, **remembered):
    return UnifiedLog.open(
        disk, "t-0", TopicPartition("t", 0), config=CONFIG, now=NOW, rng=Random(1),
        checkpointed=CheckpointedOffsets(**remembered),
    )  # fmt: skip


@pytest.fixture
def disk():
    """Twenty batches of one record; epoch 1 begins at offset 10, the last segment at 15."""
    made = SimDisk()
    log = open_log(made, clean=False)
    for offset in range(20):
        batch = memoryview(build_batch([NewRecord(1_000, b"k", b"v")]))
        log.append_as_leader(batch, leader_epoch=offset // 10, now=NOW)
    made.crash()
    assert [name for name in made.list("t-0") if name.endswith(".log")][2:] == [NAME, LAST]
    return made


@pytest.mark.parametrize("clean", [True, False])
@pytest.mark.parametrize("epochs", [None, b"0\n1\n1 15\n"])
def test_a_damaged_base_offset_teaches_no_epoch(disk, clean, epochs):
    """Seed 72000027: an epoch that began too early replaced the true ones, durably."""
    disk.remove(EPOCHS)
    if epochs is not None:
        write_file(disk, EPOCHS, epochs)
    disk.content(f"t-0/{NAME}")[7] = 3
    recovery_point = 20 if clean else 15
    damaged = f"{NAME}: damaged at byte 0, offset 10, which was flushed: restore the file"
    with pytest.raises(StorageFault, match=damaged):
        open_log(disk, clean=clean, recovery_point=recovery_point)
    assert (read_file(disk, EPOCHS) if disk.exists(EPOCHS) else None) == epochs
    disk.content(f"t-0/{NAME}")[7] = 10
    log = open_log(disk, clean=clean, recovery_point=recovery_point)
    assert log.leader_epochs == [(0, 0), (1, 10)]


@pytest.mark.parametrize(
    ("at", "value", "behind"),
    [
        # The length of the batch at offset 12: the next one is looked for one byte later.
        (2 * 70 + 11, 59, 3),
        # The leader epoch of the same batch.
        (2 * 70 + 15, 0, 2),
    ],
)
def test_a_damaged_header_hides_no_epoch(disk, at, value, behind):
    """Seed 93000083: a start learned nothing from the batches behind a damaged length."""
    name = disk.content(f"t-0/{NAME}")
    before = name[at]
    assert before != value
    disk.remove(EPOCHS)
    name[at] = value
    with pytest.raises(StorageFault, match=f"{NAME}: damaged at byte .*, offset {10 + behind}"):
        open_log(disk, clean=False, recovery_point=20)
    assert not disk.exists(EPOCHS)
    name[at] = before
    assert open_log(disk, clean=False, recovery_point=20).leader_epochs == [(0, 0), (1, 10)]


@pytest.mark.parametrize("clean", [True, False])
@pytest.mark.parametrize(
    ("base", "at", "value"),
    [
        # The base offset of a first batch, 2**40 higher; and its last offset delta.
        *[(base, 2, 1) for base in (0, 10)],
        *[(base, 23, 0x40) for base in (0, 10)],
        # The base offset of a last batch, beyond that of the next segment.
        (10, 4 * 70 + 7, 17),
    ],
)
def test_a_batch_that_ends_behind_its_segment_teaches_no_epoch(disk, base, at, value, clean):
    disk.remove(EPOCHS)
    content = disk.content(f"t-0/{base:020}.log")
    before, content[at] = content[at], value
    with pytest.raises(StorageFault, match=f"{base:020}.log: damaged at byte"):
        open_log(disk, clean=clean, recovery_point=20)
    assert not disk.exists(EPOCHS)
    content[at] = before
    assert open_log(disk, clean=clean, recovery_point=20).leader_epochs == [(0, 0), (1, 10)]


def after_older_metadata(disk, *epochs):
    """Epoch 5 has one record at 16; then older ones lead, as if the metadata was restored.

    The log ends at offset 22; the last epoch has the remaining records.
    """
    log = open_log(disk, clean=False)
    log.truncate_to(16, NOW)
    for each in (5, *epochs, *epochs[-1:] * (5 - len(epochs))):
        log.assign_epoch_start_offset(each, log.log_end_offset)
        batch = memoryview(build_batch([NewRecord(1_000, b"k", b"v")]))
        log.append_as_leader(batch, leader_epoch=each, now=NOW)
    return log


@pytest.mark.parametrize("clean", [True, False])
@pytest.mark.parametrize("recovery_point", [0, 15, 17, 19, 22])
@pytest.mark.parametrize("epochs", [(0,), (3,), (3, 4, 1), (0, 5), (0, 0, 6)])
def test_an_epoch_that_goes_back_is_loaded(disk, clean, recovery_point, epochs):
    """Each start took the directory offline."""
    after_older_metadata(disk, *epochs)
    disk.crash()
    log = open_log(disk, clean=clean, recovery_point=recovery_point)
    assert (log.log_end_offset, log.latest_epoch) == (22, epochs[-1])


@pytest.mark.parametrize("clean", [True, False])
@pytest.mark.parametrize("start_offset", [17, 18, 22])
def test_an_epoch_that_goes_back_before_the_start_is_loaded(disk, clean, start_offset):
    """DeleteRecords drops it from the file of epochs, not from the segment."""
    log = after_older_metadata(disk, 0)
    log.update_high_watermark(22)
    log.increment_log_start_offset(start_offset)
    disk.crash()
    log = open_log(disk, clean=clean, recovery_point=22, log_start_offset=start_offset)
    assert (log.log_start_offset, log.log_end_offset) == (start_offset, 22)
    assert log.leader_epochs == [(0, start_offset)]


@pytest.mark.parametrize("clean", [True, False])
@pytest.mark.parametrize("epochs", [None, b""])
@pytest.mark.parametrize("following", [(0,), (3, 4, 1), (0, 0, 6)])
def test_an_epoch_that_goes_back_is_loaded_without_the_file(disk, clean, epochs, following):
    """A power loss may tear the file, since it is not flushed."""
    after_older_metadata(disk, *following)
    disk.remove(EPOCHS)
    if epochs is not None:
        write_file(disk, EPOCHS, epochs)
    disk.crash()
    log = open_log(disk, clean=clean, recovery_point=22)
    assert (log.log_end_offset, log.latest_epoch) == (22, following[-1])


@pytest.mark.parametrize("clean", [True, False])
@pytest.mark.parametrize("start_offset", [18, 22])
def test_one_record_of_a_lower_epoch_before_the_start_is_loaded(disk, clean, start_offset):
    """DeleteRecords drops its epoch from the file, not from the segment."""
    log = after_older_metadata(disk, 4, 5)
    log.update_high_watermark(22)
    log.increment_log_start_offset(start_offset)
    disk.crash()
    log = open_log(disk, clean=clean, recovery_point=22, log_start_offset=start_offset)
    assert log.leader_epochs == [(5, start_offset)]


@pytest.mark.parametrize("clean", [True, False])
@pytest.mark.parametrize("recovery_point", [18, 22])
def test_metadata_that_is_restored_twice_is_loaded(disk, clean, recovery_point):
    """The last entry of the file replaced that of a single record with the same epoch."""
    after_older_metadata(disk, 4, 5, 4)
    disk.crash()
    log = open_log(disk, clean=clean, recovery_point=recovery_point)
    assert log.latest_epoch == 4


@pytest.mark.parametrize("last_epoch", [1, 2])
def test_a_damaged_epoch_below_that_of_the_file_is_refused(disk, last_epoch):
    """The last record of an epoch has no other one of that epoch behind it."""
    log = open_log(disk, clean=False)
    log.truncate_to(19, NOW)
    log.assign_epoch_start_offset(last_epoch, 19)
    batch = memoryview(build_batch([NewRecord(1_000, b"k", b"v")]))
    log.append_as_leader(batch, leader_epoch=last_epoch, now=NOW)
    disk.crash()
    offset = 20 - last_epoch
    disk.content(f"t-0/{LAST}")[(offset - 15) * 70 + 15] = 0
    epochs = read_file(disk, EPOCHS)
    with pytest.raises(StorageFault, match=f"{LAST}: damaged at byte .*, offset {offset}, "):
        open_log(disk, clean=False, recovery_point=20)
    assert read_file(disk, EPOCHS) == epochs


@pytest.mark.parametrize("clean", [True, False])
def test_a_damaged_epoch_that_is_too_high_replaces_no_earlier_one(disk, clean):
    """The file has the epochs from 15 on only, as after DeleteRecords and a crash."""
    write_file(disk, EPOCHS, b"0\n1\n1 15\n")
    disk.content(f"t-0/{0:020}.log")[2 * 70 + 15] = 1
    log = open_log(disk, clean=clean, recovery_point=20)
    assert log.leader_epochs == [(0, 0), (1, 10)]


def test_an_unflushed_epoch_that_goes_back_is_loaded_without_its_file(disk):
    """A follower that is killed may not have written its epochs."""
    before = read_file(disk, EPOCHS)
    after_older_metadata(disk, 0)
    disk.crash()
    write_file(disk, EPOCHS, before)
    log = open_log(disk, clean=False, recovery_point=17)
    assert (log.log_end_offset, log.latest_epoch) == (22, 0)


@pytest.mark.parametrize("epochs", [None, b"0\n2\n0 0\n1 10\n"])
def test_a_damaged_epoch_below_the_recovery_point_is_refused(disk, epochs):
    disk.remove(EPOCHS)
    if epochs is not None:
        write_file(disk, EPOCHS, epochs)
    disk.content(f"t-0/{LAST}")[2 * (disk.content(f"t-0/{LAST}")[11] + 12) + 15] = 0
    damaged = f"{LAST}: damaged at byte .*, offset 17, which was flushed"
    with pytest.raises(StorageFault, match=damaged):
        open_log(disk, clean=False, recovery_point=18)
