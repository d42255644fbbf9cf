"""The command line of kafka-dump-log, and files that are not as they should be."""

from pathlib import Path
from random import Random

import pytest

from minikafka.cli.dump_log import main
from minikafka.common.clock import Now
from minikafka.common.ids import TopicPartition
from minikafka.log.config import LogConfig
from minikafka.log.recovery.log_loader import CheckpointedOffsets
from minikafka.log.unified_log import UnifiedLog
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.server.os_disk import OsDisk

STEM = "t-0/00000000000000000000"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    log = UnifiedLog.open(
        OsDisk(str(tmp_path)), "t-0", TopicPartition("t", 0),
        config=LogConfig(index_interval_bytes=1), checkpointed=CheckpointedOffsets(clean=False),
        now=Now(0, 5_000), rng=Random(0),
    )  # fmt: skip
    for i in range(3):
        batch = build_batch(
            [NewRecord(1_000 + i, b"k", b"v%d" % i, (("h", None),))],
            BatchOptions(producer_id=9, producer_epoch=0, base_sequence=i),
        )
        log.append_as_leader(memoryview(batch), leader_epoch=0, now=Now(0, 5_000))
    log.close()
    monkeypatch.chdir(tmp_path)
    return Path(tmp_path)


def test_without_options_batches_are_printed_and_records_are_not(folder, capsys):
    assert main(["--files", f"{STEM}.log"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [f"Dumping {STEM}.log", "Log starting offset: 0"]
    assert [line.split()[1] for line in lines[2:]] == ["0", "1", "2"]


def test_print_data_log_shows_headers_keys_and_values(folder, capsys):
    main(["--print-data-log", "--files", f"{STEM}.log"])
    assert (
        "| offset: 1 CreateTime: 1001 keySize: 1 valueSize: 2 sequence: 1 "
        "headerKeys: [h] key: k payload: v1\n"
    ) in capsys.readouterr().out


def test_skip_record_metadata_leaves_keys_and_values(folder, capsys):
    main(["--print-data-log", "--skip-record-metadata", "--files", f"{STEM}.log"])
    assert "| key: k payload: v1\n" in capsys.readouterr().out


def test_indexes_are_printed_entry_by_entry(folder, capsys):
    main(["--files", f"{STEM}.index,{STEM}.timeindex"])
    assert capsys.readouterr().out.splitlines() == [
        f"Dumping {STEM}.index", "offset: 1 position: 74", "offset: 2 position: 148",
        f"Dumping {STEM}.timeindex", "timestamp: 1001 offset: 1", "timestamp: 1002 offset: 2",
    ]  # fmt: skip


def test_producer_snapshot_is_printed(folder, capsys):
    main(["--files", "t-0/00000000000000000003.snapshot"])
    assert capsys.readouterr().out.splitlines()[1] == (
        "producerId: 9 producerEpoch: 0 coordinatorEpoch: -1 "
        "currentTxnFirstOffset: OptionalLong.empty lastTimestamp: 1002 firstSequence: 2 "
        "lastSequence: 2 lastOffset: 2 offsetDelta: 0 timestamp: 1002"
    )


def test_index_that_does_not_fit_its_log_is_reported(folder, capsys):
    path = folder / f"{STEM}.index"
    path.write_bytes(bytes(3) + b"\x02" + bytes(3) + b"\x4a")
    main(["--verify-index-only", "--files", f"{STEM}.index"])
    captured = capsys.readouterr()
    assert "Index offset: 2, log offset: 1" in captured.err
    assert "position" not in captured.out


def test_sanity_check_prints_one_line(folder, capsys):
    main(["--index-sanity-check", "--files", f"{STEM}.index"])
    assert capsys.readouterr().out.splitlines()[1] == f"{STEM}.index passed sanity check."


def test_damaged_batch_is_marked_and_the_tail_counted(folder, capsys):
    path = folder / f"{STEM}.log"
    content = bytearray(path.read_bytes())
    content[73] ^= 1
    path.write_bytes(content + b"\0" * 5)
    main(["--files", f"{STEM}.log"])
    out = capsys.readouterr().out
    assert out.count("isvalid: false") == 1
    assert out.endswith(f"Found 5 invalid bytes at the end of {STEM}.log\n")


def test_missing_file_fails_and_is_named(folder, capsys):
    assert main(["--files", "t-0/00000000000000000009.log"]) == 1
    assert "00000000000000000009.log: No such file" in capsys.readouterr().err


def test_reading_stops_at_max_bytes(folder, capsys):
    main(["--max-bytes", "160", "--files", f"{STEM}.log"])
    assert capsys.readouterr().out.count("baseOffset") == 2
