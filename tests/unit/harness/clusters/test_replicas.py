from random import Random

import pytest

from minikafka.common.clock import Now
from minikafka.common.ids import TopicPartition, Uuid
from minikafka.harness.clusters import replicas
from minikafka.harness.clusters.replicas import Expected, compare_replicas
from minikafka.log.checkpoints import HIGH_WATERMARKS, write_offsets
from minikafka.log.config import LogConfig
from minikafka.log.recovery.log_loader import CheckpointedOffsets
from minikafka.log.unified_log import UnifiedLog
from minikafka.records.builder import NewRecord, build_batch
from minikafka.server.os_disk import OsDisk
from tests.mutation import applied, mutation

NOW = Now(0, 1_700_000_000_000)
AT = TopicPartition("t", 0)


def fill(home, *, batches=10, high_watermark=20, odd_one=-1, epoch=0, at=AT):
    """A replica with batches of two records; `odd_one` is a batch that others do not have."""
    home.mkdir(exist_ok=True)
    log = UnifiedLog.open(
        OsDisk(str(home)), str(at), at, config=LogConfig(segment_bytes=400),
        checkpointed=CheckpointedOffsets(clean=True, recovery_point=0), now=NOW,
        rng=Random(0), topic_id=Uuid.of(1, 2),
    )  # fmt: skip
    for number in range(batches):
        word = b"odd" if number == odd_one else b"%d" % (number % 7 + 100)
        rows = [NewRecord(NOW.wall_ms, None, word) for _ in range(2)]
        log.append_as_leader(memoryview(build_batch(rows)), leader_epoch=epoch, now=NOW)
    log.abandon()
    write_offsets(OsDisk(str(home)), HIGH_WATERMARKS, {at: high_watermark}, sync=False)
    return [home]


def test_replicas_with_the_same_bytes_agree(tmp_path):
    """S2: over several segments."""
    dirs = {node: fill(tmp_path / f"n{node}") for node in (1, 2, 3)}
    assert len(list((tmp_path / "n1" / "t-0").glob("*.log"))) > 1
    compared = compare_replicas(dirs, "t")
    assert (compared.partitions, compared.batches, compared.differences) == (1, 30, [])


@pytest.mark.parametrize(
    ("change", "shown"),
    [
        ({"odd_one": 4}, "starting at offset 8: epoch 0 and "),
        ({"epoch": 1}, "starting at offset 0: epoch 0 and "),
    ],
)
def test_a_replica_with_another_batch_differs_from_both_others(tmp_path, change, shown):
    dirs = {1: fill(tmp_path / "a"), 2: fill(tmp_path / "b", **change), 3: fill(tmp_path / "c")}
    found = compare_replicas(dirs, "t").differences
    assert [row.nodes for row in found] == [(1, 2), (2, 3)]
    assert shown in str(found[0])
    assert str(found[0]).startswith("t-0: nodes 1 and 2 differ, ")


def test_one_changed_byte_in_a_record_is_a_difference(tmp_path):
    dirs = {1: fill(tmp_path / "a"), 2: fill(tmp_path / "b")}
    [path, *_] = sorted((tmp_path / "b" / "t-0").glob("*.log"))
    data = bytearray(path.read_bytes())
    data[-2] ^= 1
    path.write_bytes(data)
    assert len(compare_replicas(dirs, "t").differences) == 1


def test_bytes_that_are_no_batch_are_a_difference(tmp_path):
    dirs = {1: fill(tmp_path / "a"), 2: fill(tmp_path / "b")}
    [path, *_] = sorted((tmp_path / "b" / "t-0").glob("*.log"))
    data = bytearray(path.read_bytes())
    data[16] = 9  # the magic number of the first batch
    path.write_bytes(data)
    compared = compare_replicas(dirs, "t")
    [row] = compared.unreadable
    assert str(row).startswith("t-0: node 2 cannot be read, ")
    assert compared.as_json()["differing"] == 1


def test_differences_are_written_as_json(tmp_path):
    dirs = {1: fill(tmp_path / "a"), 2: fill(tmp_path / "b", odd_one=4)}
    told = compare_replicas(dirs, "u", "t").as_json()
    [row] = told["differences"]
    assert (row["topic"], row["partition"], row["nodes"], row["offset"]) == ("t", 0, [1, 2], 8)
    assert (told["compared"], told["partitions"], told["batches"]) == (True, 1, 20)


def test_a_batch_that_one_replica_lacks_in_the_middle_is_a_difference(tmp_path):
    dirs = {1: fill(tmp_path / "a"), 2: fill(tmp_path / "b")}
    second = sorted((tmp_path / "b" / "t-0").glob("*.log"))[1]
    second.unlink()
    [row] = compare_replicas(dirs, "t").differences
    assert row.batches[0] is not None
    assert row.batches[1] is None
    assert str(row).endswith("bytes against nothing")


def test_records_above_a_replicas_high_watermark_may_differ(tmp_path):
    """H7: the tail of one that left the ISR may be another one than what was committed later."""
    gone = fill(tmp_path / "b", odd_one=4, high_watermark=8)
    dirs = {1: fill(tmp_path / "a", high_watermark=20), 2: gone}
    assert compare_replicas(dirs, "t").differences == []
    write_offsets(OsDisk(str(tmp_path / "b")), HIGH_WATERMARKS, {AT: 10}, sync=False)
    assert len(compare_replicas(dirs, "t").differences) == 1


@pytest.mark.parametrize("mark", [-1, 0, 4])
def test_the_checkpoint_of_a_directory_without_the_log_hides_nothing(tmp_path, mark):
    """It may name a log that is lost there."""
    other = tmp_path / "b2"
    other.mkdir()
    write_offsets(OsDisk(str(other)), HIGH_WATERMARKS, {AT: mark}, sync=False)
    odd = fill(tmp_path / "b1", odd_one=4)
    for folders in ([*odd, other], [other, *odd]):
        found = compare_replicas({1: fill(tmp_path / "a"), 2: folders}, "t").differences
        assert [row.nodes for row in found] == [(1, 2)]


def test_a_replica_that_is_behind_or_of_another_topic_is_no_difference(tmp_path):
    other = fill(tmp_path / "b", at=TopicPartition("u", 0), odd_one=1)
    behind = fill(tmp_path / "c", batches=6, high_watermark=12)
    compared = compare_replicas({1: fill(tmp_path / "a"), 2: other, 3: behind}, "t")
    assert (compared.partitions, compared.batches, compared.differences) == (1, 16, [])


def incomplete(dirs, *, isr=(1, 2), high_watermark=0):
    expected = {AT: Expected(isr, high_watermark)}
    return compare_replicas(dirs, "t", expected=expected).as_json()["incomplete"]


def test_the_log_of_an_isr_member_must_reach_the_high_watermark(tmp_path):
    """Two logs of which one is short agree as far as both go, and that proves nothing."""
    dirs = {1: fill(tmp_path / "a"), 2: fill(tmp_path / "b", batches=9, high_watermark=18)}
    assert compare_replicas(dirs, "t").differences == []
    [row] = incomplete(dirs)
    assert row == {
        "message": (
            "t-0: the log of node 2 ends at offset 18, but the node is in the ISR and the high"
            " watermark is 20"
        ),
        "topic": "t",
        "partition": 0,
        "nodes": [2],
        "offset": 18,
    }
    assert incomplete(dirs, isr=(1,)) == []


def test_the_log_of_an_isr_member_must_not_be_empty(tmp_path):
    dirs = {1: fill(tmp_path / "a"), 2: fill(tmp_path / "b", batches=0, high_watermark=0)}
    [row] = incomplete(dirs)
    assert "the log of node 2 is empty" in row["message"]
    (tmp_path / "c").mkdir()
    [row] = incomplete({1: [tmp_path / "a"], 2: [tmp_path / "c"]})
    assert (row["nodes"], row["offset"]) == ([2], 0)


def test_the_log_of_an_isr_member_must_begin_where_those_of_others_begin(tmp_path):
    """A follower that began at a later offset reaches the high watermark and lacks the rest."""
    dirs = {node: fill(tmp_path / f"n{node}") for node in (1, 2)}
    first, second, *_ = sorted((tmp_path / "n2" / "t-0").glob("*.log"))
    first.unlink()
    begin = int(second.stem)
    assert compare_replicas(dirs, "t").differences == []
    [row] = incomplete(dirs)
    assert (row["nodes"], row["offset"]) == ([2], begin)
    assert row["message"] == (
        f"t-0: the log of node 2 begins at offset {begin}, but that of another ISR member begins at"
        " offset 0"
    )
    assert incomplete(dirs, isr=(1,)) == []


def test_a_high_watermark_that_only_clients_saw_counts_too(tmp_path):
    dirs = {node: fill(tmp_path / f"n{node}") for node in (1, 2)}
    assert incomplete(dirs, high_watermark=20) == []
    assert [row["nodes"] for row in incomplete(dirs, high_watermark=21)] == [[1], [2]]


@pytest.mark.parametrize("mark", [0, 20])
def test_an_isr_member_is_compared_whatever_high_watermark_it_noted(tmp_path, mark):
    """A checkpoint that says 0 would leave nothing to compare."""
    odd = fill(tmp_path / "b", odd_one=4, high_watermark=mark)
    dirs = {1: fill(tmp_path / "a"), 2: odd}
    expected = {AT: Expected((1, 2), 20)}
    assert len(compare_replicas(dirs, "t", expected=expected).differences) == 1
    assert len(compare_replicas(dirs, "t").differences) == (1 if mark else 0)


def test_a_partition_whose_isr_is_unknown_is_not_complete(tmp_path):
    dirs = {1: fill(tmp_path / "a")}
    told = compare_replicas(dirs, "t", expected={}).as_json()["incomplete"]
    assert [row["message"] for row in told] == ["t-0: its ISR is unknown"]
    assert [row["message"] for row in incomplete(dirs, isr=())] == ["t-0: its ISR is unknown"]


def test_a_partition_that_no_broker_has_is_not_complete(tmp_path):
    (tmp_path / "a").mkdir()
    assert [row["nodes"] for row in incomplete({1: [tmp_path / "a"]}, high_watermark=1)] == [
        [1],
        [2],
    ]


@pytest.mark.parametrize(
    ("function", "old", "new"),
    [
        ("_incomplete", "end < high_watermark and", "0 < end < high_watermark and"),
        ("_incomplete", "end < high_watermark and", "not end and high_watermark and"),
        ("_incomplete", "if not isr:", "if isr is None:"),
        ("_incomplete", "for node in isr", "for node in ends"),
        ("_late_begins", "begin > earliest", "False"),
        ("_late_begins", "min(begins.values(), default=0)", "max(begins.values(), default=0)"),
        ("compare_replicas", "max(known, wanted.high_watermark)", "known"),
        ("compare_replicas", "max(known, wanted.high_watermark)", "wanted.high_watermark"),
    ],
)
def test_a_comparison_that_is_content_with_less_is_noticed(tmp_path, function, old, new):
    whole = fill(tmp_path / "a")
    short = fill(tmp_path / "b", batches=9, high_watermark=18)
    empty = fill(tmp_path / "c", batches=0, high_watermark=0)
    (tmp_path / "d").mkdir()
    late = fill(tmp_path / "e")
    min((tmp_path / "e" / "t-0").glob("*.log")).unlink()
    cases = [
        ({1: whole, 2: short}, (1, 2), 0),
        ({1: whole, 2: late}, (1, 2), 0),
        ({1: whole, 2: empty}, (1, 2), 0),
        ({1: whole, 2: [tmp_path / "d"]}, (1, 2), 0),
        ({1: whole}, (1,), 21),
        ({1: whole}, (), 0),
    ]
    with applied(mutation("content", ("harness.clusters.replicas", function, old, new))):
        found = [
            replicas.compare_replicas(dirs, "t", expected={AT: Expected(isr, mark)}).incomplete
            for dirs, isr, mark in cases
        ]
    assert not all(found)
