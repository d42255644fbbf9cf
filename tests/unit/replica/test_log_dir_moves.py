"""The moves of a broker's replicas between its log directories, step by step."""

import pytest

from minikafka.common.effects import Flush
from minikafka.common.environment import RETRY_MS
from minikafka.common.errors import ErrorCode
from minikafka.common.faults import InvariantViolation, OutOfFilesError, StorageFault
from minikafka.common.ids import DIRECTORY_LOST, TopicIdPartition
from minikafka.log.directories.future_logs import FutureLogs
from minikafka.log.directories.log_directory import LogDirectory
from minikafka.log.segment.reads import DamagedRecordsError
from minikafka.log.unified_log import UnifiedLog
from minikafka.replica.log_dir_moves import MOVE_STATES, MoveState
from minikafka.sim.world.disk_errors import IO_ERROR
from tests.unit.replica.managed_world import DIRS, ID, T, level
from tests.worlds.sim_world import batch

KEY = TopicIdPartition(ID, 0)


@pytest.fixture
def managed(managed):
    """Partition 0 is led; its log in the first directory has two records."""
    managed.start(
        level(17),
        managed.broker(1),
        managed.broker(2),
        managed.topic(),
        managed.put(1, directory=DIRS[0]),
    )
    for value in (b"a", b"b"):
        managed.partition().append_as_leader(
            memoryview(bytearray(batch(value, timestamp=1_000_000))), required_acks=1
        )
    return managed


def flush(managed):
    """Carry out the flushes of the last step."""
    found = [each for each in managed.env.effects if isinstance(each, Flush)]
    managed.env.effects[:] = [each for each in managed.env.effects if not isinstance(each, Flush)]
    for effect in found:
        for target in effect.targets:
            target.run()
        managed.env.flush_done(effect.token, None)


def alter(managed, path="/two"):
    return managed.manager.moves.alter(T, path)


def accept(managed, directory):
    """The controller accepts a directory, and the metadata has it."""
    assignments = managed.manager.assignments
    if pending(managed) == directory:
        assignments.forget(KEY)
    assignments.listener.accepted(KEY, directory)
    managed.apply(managed.put(1, directory=directory))


def reported(managed):
    """Begin a move, and let it report the second directory."""
    assert alter(managed) == ErrorCode.NONE
    managed.run(0)
    flush(managed)
    assert pending(managed) == DIRS[1]


def pending(managed):
    return managed.manager.assignments.pending.get(KEY)


def home(managed):
    directory = managed.logs.directory_of(T)
    return None if directory is None else directory.disk.root


def test_the_swap_waits_for_the_metadata(managed):
    reported(managed)
    managed.run(2_000)
    assert home(managed) == "/one"
    # The metadata may be older than an assignment that the controller has accepted since.
    managed.apply(managed.put(1, directory=DIRS[1]))
    managed.run(2_000)
    assert (home(managed), pending(managed)) == ("/one", DIRS[1])
    accept(managed, DIRS[1])
    managed.run(2_000)
    assert home(managed) == "/two"
    assert pending(managed) is None
    assert managed.partition().log.log_end_offset == 2
    assert managed.partition().log is managed.logs.get(T)


def test_the_acceptance_of_another_directory_does_not_end_the_wait(managed):
    """An assignment of before the move may be answered after its report."""
    reported(managed)
    managed.manager.assignments.listener.accepted(KEY, DIRS[0])
    managed.run(2_000)
    assert (home(managed), pending(managed)) == ("/one", DIRS[1])


def test_other_changes_of_the_metadata_do_not_end_the_wait(managed):
    reported(managed)
    managed.apply(managed.put(1, directory=DIRS[0]))
    managed.run(2_000)
    assert (home(managed), pending(managed)) == ("/one", DIRS[1])


def test_without_directories_in_the_metadata_the_swap_follows_the_flush(managed):
    managed.apply(level(16))
    assert alter(managed) == ErrorCode.NONE
    managed.run(0)
    flush(managed)
    managed.run(0)
    assert (home(managed), pending(managed)) == ("/two", None)


def test_records_are_copied_during_the_wait(managed):
    reported(managed)
    managed.partition().append_as_leader(
        memoryview(bytearray(batch(b"c", timestamp=1_000_000))), required_acks=1
    )
    accept(managed, DIRS[1])
    managed.run(2_000)
    assert managed.partition().log.log_end_offset == 3


def test_the_failure_of_the_source_is_reported_for_a_replica_that_was_reported_elsewhere(managed):
    reported(managed)
    managed.manager.take_offline(StorageFault("/one", "broken"))
    assert (home(managed), pending(managed)) == (None, DIRS[0])
    assert T in managed.manager.hosted.offline
    # The copy stays: the next start continues if the directory is back.
    assert [name for name in managed.disks[1].list("") if name.endswith("-future")]


def test_the_failure_of_the_target_ends_the_move(managed):
    reported(managed)
    managed.manager.take_offline(StorageFault("/two", "broken"))
    managed.apply(managed.put(1, directory=DIRS[1]))
    managed.run(2_000)
    assert (home(managed), pending(managed)) == ("/one", DIRS[0])
    assert managed.logs.futures.get(T) is None
    assert T in managed.manager.partitions


def test_another_directory_ends_a_reported_move(managed):
    reported(managed)
    assert alter(managed, "/one") == ErrorCode.NONE
    assert (home(managed), pending(managed)) == ("/one", DIRS[0])
    assert managed.logs.futures.get(T) is None


def copies(managed):
    return [name for name in managed.files() if name.endswith("-future")]


def test_a_copy_stays_until_the_controller_has_the_former_directory_again(managed):
    """Without it the broker would create an empty log if it restarted without that directory."""
    reported(managed)
    alter(managed, "/one")
    managed.apply(managed.put(1, directory=DIRS[0]))
    assert (len(copies(managed)), pending(managed)) == (1, DIRS[0])
    accept = managed.manager.assignments.listener.accepted
    accept(KEY, DIRS[1])
    assert len(copies(managed)) == 1
    accept(KEY, DIRS[0])
    assert copies(managed) == []
    managed.apply(managed.put(1, directory=DIRS[0]))
    assert pending(managed) is None
    accept(TopicIdPartition(ID, 7), DIRS[0])


def test_a_copy_that_was_not_reported_is_removed_at_once(managed):
    assert alter(managed) == ErrorCode.NONE
    assert len(copies(managed)) == 1
    alter(managed, "/one")
    assert copies(managed) == []


def test_the_copy_of_an_earlier_move_is_removed_by_a_swap(managed):
    """And no swap follows from the acceptance of the earlier move, which may be undone since."""
    reported(managed)
    alter(managed, "/one")
    managed.apply(managed.put(1, directory=DIRS[1]))
    assert alter(managed) == ErrorCode.NONE
    managed.run(0)
    flush(managed)
    managed.run(2_000)
    assert (home(managed), pending(managed), len(copies(managed))) == ("/one", DIRS[1], 2)
    accept(managed, DIRS[1])
    managed.run(2_000)
    assert (home(managed), copies(managed)) == ("/two", [])
    assert pending(managed) != DIRS[0]


def test_a_move_that_ends_early_keeps_the_copy_of_an_earlier_one(managed):
    """The controller has not answered: the metadata may have the directory of that copy."""
    reported(managed)
    alter(managed, "/one")
    for _ in range(3):
        assert alter(managed) == ErrorCode.NONE
        assert alter(managed, "/one") == ErrorCode.NONE
        assert (len(copies(managed)), pending(managed)) == (1, DIRS[0])
    accept(managed, DIRS[0])
    assert copies(managed) == []


def test_a_move_that_a_start_continues_keeps_its_copy_when_it_ends(managed):
    reported(managed)
    for disk in managed.disks:
        disk.crash()
    managed.boot()
    managed.start(managed.put(1, directory=DIRS[1]))
    assert (managed.manager.moves.in_progress, pending(managed)) == ([T], DIRS[0])
    alter(managed, "/one")
    assert (len(copies(managed)), pending(managed)) == (1, DIRS[0])


@pytest.mark.parametrize("is_unreadable", [False, True])
def test_a_damaged_replica_is_copied_though_another_directory_is_unreadable(managed, is_unreadable):
    """The controller knows that nothing usable is there."""
    for disk in managed.disks:
        disk.crash()
    if is_unreadable:
        managed.disks[1].broken = IO_ERROR
    managed.boot()
    managed.start(managed.put(1, directory=DIRS[0]))
    managed.manager.damaged(managed.partition(), DamagedRecordsError("bad"))
    managed.apply(managed.put(2, epoch=1, isr=(2,), directory=DIRECTORY_LOST))
    managed.run(2_000)
    assert home(managed) is not None


def test_a_damaged_replica_is_not_moved(managed):
    reported(managed)
    managed.manager.damaged(managed.partition(), DamagedRecordsError("bad"))
    managed.run(2_000)
    assert (home(managed), pending(managed)) == (None, DIRECTORY_LOST)
    assert managed.logs.futures.get(T) is None


def test_a_second_request_for_the_same_directory_changes_nothing(managed):
    reported(managed)
    future = managed.logs.futures.get(T)
    assert alter(managed) == ErrorCode.NONE
    assert managed.logs.futures.get(T) is future


def test_no_move_begins_while_a_directory_is_offline(managed):
    managed.manager.take_offline(StorageFault("/two", "broken"))
    assert alter(managed) == ErrorCode.KAFKA_STORAGE_ERROR


def test_a_removed_replica_is_not_moved(managed):
    reported(managed)
    managed.apply(managed.no_topic())
    managed.run(2_000)
    assert (managed.logs.futures.get(T), pending(managed)) == (None, None)


@pytest.fixture
def few_files(monkeypatch):
    """No log can be opened for lack of descriptors until the returned function is called."""

    def refuse(directory, *_, **__):
        raise OutOfFilesError(directory.disk.root, "Too many open files")

    def begin():
        monkeypatch.setattr(LogDirectory, "open_log", refuse)
        return monkeypatch.undo

    return begin


def test_a_move_whose_copy_cannot_be_opened_again_ends(managed, few_files, caplog):
    reported(managed)
    end = few_files()
    accept(managed, DIRS[1])
    managed.run(RETRY_MS)
    assert (home(managed), managed.logs.futures.get(T)) == ("/one", None)
    assert "is not moved from /one to /two" in caplog.text
    # It shows where the newest log is until the controller has the former directory again.
    assert (pending(managed), len(copies(managed))) == (DIRS[0], 1)
    accept(managed, DIRS[0])
    assert (copies(managed), managed.manager.moves.in_progress) == ([], [])
    end()
    assert alter(managed, "/two") == ErrorCode.NONE


def test_a_swap_waits_for_descriptors(managed, monkeypatch):
    reported(managed)
    with monkeypatch.context() as patch:

        def refuse():
            raise OutOfFilesError("/one", "Too many open files")

        patch.setattr(managed.disks[0], "reserve_files", refuse)
        accept(managed, DIRS[1])
        managed.run(RETRY_MS)
        assert (home(managed), managed.manager.moves.in_progress) == ("/one", [T])
    managed.run(2 * RETRY_MS)
    assert home(managed) == "/two"


def test_a_move_waits_once_a_time_for_descriptors(managed, monkeypatch):
    """Each look for new records had its own retry, so that there were more and more of them."""
    reported(managed)
    refused = []

    def refuse(*_):
        refused.append(managed.env.clock.monotonic_ms)
        raise OutOfFilesError("/one", "Too many open files")

    with monkeypatch.context() as patch:
        patch.setattr(FutureLogs, "copy_slice", refuse)
        managed.run(20 * RETRY_MS)
        refused.clear()
        managed.run(RETRY_MS)
        assert len(refused) == 2
    accept(managed, DIRS[1])
    managed.run(RETRY_MS)
    assert home(managed) == "/two"


@pytest.mark.parametrize("method", [(FutureLogs, "copy_slice"), (UnifiedLog, "take_flush")])
def test_a_move_outlives_the_failure_of_another_directory(managed, monkeypatch, method):
    """A file of that directory was to be synced and closed, to free its descriptor."""

    def fail(*_, **__):
        raise StorageFault("/three", "broken")

    with monkeypatch.context() as patch:
        assert alter(managed) == ErrorCode.NONE
        patch.setattr(*method, fail)
        managed.run(0)
    managed.run(RETRY_MS)
    flush(managed)
    assert pending(managed) == DIRS[1]


def test_illegal_transitions_are_refused():
    with pytest.raises(InvariantViolation, match="COPYING -> SWAPPING"):
        MOVE_STATES.require(MoveState.COPYING, MoveState.SWAPPING, T)
