import os
import signal
import subprocess
import sys
import zlib

import msgpack
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minikafka.harness.clients import ledger
from minikafka.harness.clients.ledger import (
    Acknowledged,
    Entries,
    LedgerDamagedError,
    LedgerWriter,
    read_entries,
)

HEADER = {
    "run": "r",
    "producer": 1,
    "client": "c",
    "topic": "t",
    "topic_id": "i",
    "acks": "all",
    "idempotent": True,
}


def write_some(path):
    with LedgerWriter(path) as writer:
        writer.header(**HEADER)
        writer.sent(
            0, 10**15, partitions=[0, 1], after_us=[0, 5], crcs=[7, 2**32 - 1], sizes=[9, 9]
        )
        writer.acked(
            [Acknowledged(1, 2**40, 10**15 + 8, 10**12), Acknowledged(0, 3, 10**15 + 9, 10**12 - 4)]
        )
        writer.failed(10**15, [2], "too large")
        writer.unknown(10**15, [3, 4], "timed out")
        writer.end(10**15 + 50)
        writer.sync()


def test_entries_come_back_as_they_were_written(tmp_path):
    write_some(tmp_path / "l")
    entries = list(read_entries(tmp_path / "l"))
    assert entries == [
        [ledger.HEADER, {"version": ledger.VERSION, **HEADER, "timestamps": "sent"}],
        [ledger.SENT, 0, 10**15, [0, 1], [0, 5], [7, 2**32 - 1], [9, 9]],
        [ledger.ACKED, 10**15 + 8, [1, 0], [2**40, 3], [0, 1], [0, -4]],
        [ledger.FAILED, 10**15, [2], "too large"],
        [ledger.UNKNOWN, 10**15, [3, 4], "timed out"],
        [ledger.END, 10**15 + 50],
    ]


def test_a_ledger_is_never_written_over(tmp_path):
    write_some(tmp_path / "l")
    with pytest.raises(FileExistsError):
        LedgerWriter(tmp_path / "l")


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.integers(min_value=0, max_value=400))
def test_a_cut_anywhere_leaves_the_entries_before_it(tmp_path, cut):
    whole = tmp_path / "whole"
    if not whole.exists():
        write_some(whole)
    data = whole.read_bytes()
    entries = list(read_entries(whole))
    torn = tmp_path / "torn"
    torn.write_bytes(data[: min(cut, len(data))])
    survivors = list(read_entries(torn))
    assert survivors == entries[: len(survivors)]
    assert (len(survivors) == len(entries)) == (cut >= len(data))


def test_a_changed_byte_in_a_body_is_an_error_that_names_the_place(tmp_path):
    write_some(tmp_path / "l")
    data = bytearray((tmp_path / "l").read_bytes())
    data[data.index(b"topic_id") + 2] ^= 1
    (tmp_path / "l").write_bytes(data)
    with pytest.raises(LedgerDamagedError, match="l: at byte 0: checksum differs"):
        list(read_entries(tmp_path / "l"))


def test_a_torn_entry_is_left_out_and_its_size_is_reported(tmp_path):
    """S1: a ledger that was cut is read up to the cut, and says so."""
    write_some(tmp_path / "l")
    data = (tmp_path / "l").read_bytes()
    entries = Entries(tmp_path / "l")
    count = len(list(entries))
    assert entries.torn_bytes == 0
    (tmp_path / "torn").write_bytes(data[:-3])
    torn = Entries(tmp_path / "torn")
    assert len(list(torn)) == count - 1
    [last] = list(entries)[-1:]
    whole_bytes = len(msgpack.packb([0xFFFF_FFFF, msgpack.packb(last)]))
    assert torn.torn_bytes == whole_bytes - 3


def test_a_record_takes_at_most_forty_bytes(tmp_path):
    """S1: with acknowledgements a few at a time, as they are when little is written."""
    count, group, now_us = 10_000, 10, 1_800_000_000_000_000
    with LedgerWriter(tmp_path / "l") as writer:
        writer.header(**HEADER)
        for first in range(10**6, 10**6 + count, group):
            seqs = range(first, first + group)
            at_us = now_us + first
            writer.sent(
                first,
                at_us,
                partitions=[seq % 200 for seq in seqs],
                after_us=[0] * group,
                crcs=[0xFFFF_FFFF] * group,
                sizes=[300] * group,
            )
            records = [
                Acknowledged(seq, 10**9 + seq, at_us + 70_000 * (seq - first), at_us // 1000)
                for seq in seqs
            ]
            writer.acked(records)
    assert (tmp_path / "l").stat().st_size / count <= 40


@pytest.mark.parametrize("junk", [7, [1, 2], [b"", b""], [0, b"", 0], {"a": 1}])
def test_a_value_that_is_no_frame_is_an_error(tmp_path, junk):
    write_some(tmp_path / "l")
    with (tmp_path / "l").open("ab") as file:
        file.write(msgpack.packb(junk))
    with pytest.raises(LedgerDamagedError, match="l: at byte"):
        list(read_entries(tmp_path / "l"))


WRITE_UNTIL_KILLED = """
import ast, sys, itertools
from pathlib import Path
from minikafka.harness.clients.ledger import Acknowledged, LedgerWriter
with LedgerWriter(Path(sys.argv[1])) as writer:
    writer.header(**ast.literal_eval(sys.argv[2]))
    for seq in itertools.count():
        writer.sent(seq, seq, partitions=[0], after_us=[0], crcs=[seq], sizes=[1])
        writer.acked([Acknowledged(seq, seq, seq, 0)])
        writer.sync()
        print(seq, flush=True)
"""


def test_synced_entries_survive_sigkill_of_the_writer(tmp_path):
    """S1: the ledger is durable."""
    path = tmp_path / "l"
    child = subprocess.Popen(
        [sys.executable, "-c", WRITE_UNTIL_KILLED, str(path), repr(HEADER)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    claimed = [int(child.stdout.readline()) for _ in range(50)]
    child.send_signal(signal.SIGKILL)
    rest, _ = child.communicate()
    claimed += [int(line) for line in rest.splitlines(keepends=True) if line.endswith("\n")]
    noted = [entry[2][0] for entry in read_entries(path) if entry[0] == ledger.ACKED]
    assert noted[: len(claimed)] == claimed


def test_every_frame_carries_the_checksum_of_its_body(tmp_path):
    write_some(tmp_path / "l")
    with (tmp_path / "l").open("rb") as file:
        for crc, body in msgpack.Unpacker(file):
            assert crc == zlib.crc32(body)
