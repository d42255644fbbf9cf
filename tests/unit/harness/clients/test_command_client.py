"""Issue 51: a client in any language is a child process, whatever it does."""

import json
import os
import re
import shlex
import sys
import time
from pathlib import Path

import pytest

from minikafka.harness.clients import command_client, producer
from minikafka.harness.clients.ledger import LedgerWriter
from minikafka.harness.clients.ledger_table import read_ledger
from minikafka.harness.clients.outbox import Outbox, ProducerTask
from minikafka.harness.lines import EventLog, Tail

BEGIN = """
import json, os, sys, time
def say(**values):
    print(json.dumps(values), flush=True)
settings = json.loads(sys.stdin.readline())
records = (json.loads(line) for line in sys.stdin)
first = next(records)
"""
GOOD = """
say(id=first["id"], offset=0)
for record in records:
    say(id=record["id"], partition=record["partition"], offset=record["id"], timestamp=5)
"""


@pytest.fixture(autouse=True)
def open_input(monkeypatch):
    """The parent of a producer lets it start when it is ready, and keeps its input open."""
    read, write = os.pipe()
    log = EventLog.write

    def start_when_ready(self, event, **values):
        if event == "producer_ready":
            os.write(write, b"\n")
        return log(self, event, **values)

    monkeypatch.setattr(EventLog, "write", start_when_ready)
    with os.fdopen(read) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        yield
    os.close(write)


def make_task(tmp_path, program, **changes):
    script = tmp_path / "client.py"
    script.write_text(BEGIN + program)
    values = {
        "run": "r", "pid": 3, "client": "python", "bootstrap_servers": "h:1", "topic": "t,u",
        "topic_id": "i", "partitions": 4, "seed": 1, "rate": 2_000, "seconds": 0.3, "drain_s": 2,
        "ledger": str(tmp_path / "l"), "events": str(tmp_path / "e"),
        "stderr": str(tmp_path / "stderr"), "command": shlex.join([sys.executable, str(script)]),
    }  # fmt: skip
    return ProducerTask(**{**values, **changes})


def write(tmp_path, program, *, silence_max_s=5.0, **changes):
    """Run a program as the client; return what it did wrong, and its ledger."""
    task = make_task(tmp_path, program, **changes)
    with LedgerWriter(tmp_path / "l") as ledger:
        ledger.header(
            run="r", producer=3, client="c", topic="t", topic_id="i", acks=task.acks,
            idempotent=True,
        )  # fmt: skip
        outbox = Outbox(task, ledger, EventLog(tmp_path / "e"))
        why = command_client.write_by_command(outbox, silence_max_s=silence_max_s)
        outbox.finish()
    return why, read_ledger(tmp_path / "l")


def test_outcomes_of_a_command_are_in_the_ledger(tmp_path):
    why, table = write(tmp_path, GOOD)
    assert why == ""
    counts = table.counts()
    assert counts["acked"] == counts["sent"] > 100
    assert table.ack_offset.tolist() == list(range(counts["sent"]))


def test_an_outcome_with_an_offset_may_say_that_there_is_no_error(tmp_path):
    """Encoders of some languages write all members of an object."""
    why, table = write(tmp_path, GOOD.replace("offset=0)", "offset=0, error=None, definite=False)"))
    assert why == ""
    assert table.ack_offset.tolist()[0] == 0


def test_a_command_gets_settings_and_records(tmp_path):
    seen = tmp_path / "seen"
    program = f"open({str(seen)!r}, 'w').write(json.dumps([settings, first]))\n" + GOOD
    why, _ = write(tmp_path, program, acks="1", idempotent=False, compression="lz4")
    assert why == ""
    settings, record = json.loads(seen.read_text())
    assert settings == {
        "version": 1,
        "topics": ["t", "u"],
        "partitions": 4,
        "transactional": False,
        "message_max_bytes": 1_000_000,
        "properties": {
            "bootstrap.servers": "h:1",
            "client.id": "minikafka-verify-3",
            "acks": "1",
            "enable.idempotence": "false",
            "compression.type": "lz4",
            "delivery.timeout.ms": "60000",
        },
    }
    assert record["id"] == 0
    assert record["topic"] in ("t", "u")
    assert 0 <= record["partition"] < 4
    assert [name for name, _ in record["headers"]] == ["p", "s", "c", "t"]
    assert isinstance(record["timestamp"], int)


def test_errors_are_definite_or_leave_the_outcome_open(tmp_path):
    program = """
say(id=first["id"], error="too large", definite=True)
for record in records:
    say(id=record["id"], error="aborted")
"""
    why, table = write(tmp_path, program)
    assert why == ""
    counts = table.counts()
    assert counts["failed"] == 1
    assert counts["unknown"] == counts["sent"] - 1 > 100
    assert table.aborted_count == 0, "that word of a client has no meaning for the harness"


def test_acknowledgements_without_acks_need_no_offset(tmp_path):
    why, table = write(
        tmp_path, "say(id=0)\nfor it in records: say(id=it['id'])", acks="0", idempotent=False
    )
    assert why == ""
    assert table.counts()["acked"] == table.counts()["sent"]
    assert set(table.ack_offset.tolist()) == {-1}


BROKEN = {
    "never sent": ("say(id=10**6, offset=0)", "an outcome of record 1000000, which it was never"),
    "negative": ("say(id=-1, offset=0)", "whose id is not a whole number from 0 to"),
    "twice": ("say(id=0, offset=0); say(id=0, offset=0)", "a second outcome of record 0"),
    "flood": ("while True: say(id=10**9, offset=1)", "an outcome of record 1000000000"),
    "long": ("sys.stdout.write('x' * (1 << 27))", "wrote a line longer than 64 KiB"),
    "long line": ("print('x' * 70000, flush=True)", "wrote a line longer than 64 KiB"),
    "text": ("print('connected', flush=True)", "not a JSON object: 'connected'"),
    "bytes": ("os.write(1, b'\\xff\\n')", "not a JSON object: '\ufffd'"),
    "empty": ("print(flush=True)", "not a JSON object: ''"),
    "deep": ("print('[' * 60000, flush=True)", "not a JSON object: '[[["),
    "array": ("print('[1]', flush=True)", "not a JSON object: '[1]'"),
    "text id": ("say(id='0', offset=0)", "whose id is not a whole number"),
    "no offset": ("say(id=0)", "whose offset is not a whole number"),
    "offset -1": ("say(id=0, offset=-1)", "whose offset is not a whole number"),
    "huge": ("say(id=0, offset=2**44)", "whose offset is not a whole number from 0 to"),
    "true": ("say(id=0, offset=True)", "whose offset is not a whole number"),
    "timestamp": ("say(id=0, offset=0, timestamp=1.5)", "whose timestamp is not a whole number"),
    "error": ("say(id=0, error=5)", "whose error is not a text"),
    "definite": ("say(id=0, error='no', definite='yes')", "whose error is not a text"),
    "partition": (
        "say(id=0, offset=0, partition=first['partition'] ^ 1)",
        "acknowledged record 0 in partition",
    ),
    "exit": ("sys.exit(7)", "exited with status 7 before the end of its work"),
    "exit 0": ("sys.exit(0)", "exited with status 0 before the end of its work"),
    "signal": ("os.kill(os.getpid(), 9)", "was ended by signal 9 (Killed) before the end"),
    "closed": ("os.close(1); time.sleep(60)", "closed its standard output"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_command_that_breaks_the_protocol_is_ended_and_named(name, tmp_path):
    program, problem = BROKEN[name]
    began_s = time.monotonic()
    why, table = write(tmp_path, program + "\ntime.sleep(60)", seconds=20)
    assert problem in why
    assert time.monotonic() - began_s < 10
    counts = table.counts()
    assert counts["unknown"] + counts["acked"] == counts["sent"]


def test_outcomes_before_a_wrong_line_count(tmp_path):
    why, table = write(tmp_path, "say(id=0, offset=4)\nprint('x', flush=True)\n" + GOOD)
    assert "not a JSON object" in why
    assert table.counts()["acked"] == 1


def test_a_command_that_gives_no_outcome_is_killed(tmp_path):
    why, table = write(tmp_path, "time.sleep(60)", silence_max_s=0.5, seconds=30)
    assert "gave no outcome for 0.5 s, although 1 records waited for one" in why
    assert table.counts()["unknown"] == table.counts()["sent"] == 1


def test_the_clock_starts_when_a_command_has_written_its_first_record(tmp_path):
    """Records and faults wait for a slow start, as of a virtual machine."""
    why, table = write(tmp_path, "time.sleep(1)\n" + GOOD, seconds=0.3)
    assert why == ""
    send_s = (table.send_us - table.send_us[0]) / 1e6
    assert send_s[1] > 1
    assert 300 < table.counts()["acked"] == table.counts()["sent"]
    events = [event["event"] for event in Tail(tmp_path / "e").read()]
    assert events.count("producer_ready") == 1


def test_a_command_that_does_not_start_in_time_is_killed(tmp_path, monkeypatch):
    monkeypatch.setattr(command_client, "READY_MAX_S", 0.3)
    why, table = write(tmp_path, "time.sleep(60)\n" + GOOD)
    assert why == "gave no outcome of its first record within 0.3 s of its start"
    assert table.counts()["unknown"] == table.counts()["sent"] == 1


def test_a_run_that_ends_before_the_start_ends_the_command(tmp_path, monkeypatch):
    with Path(os.devnull).open() as closed:
        monkeypatch.setattr(sys, "stdin", closed)
        why, table = write(tmp_path, GOOD, seconds=20)
    assert why == ""
    assert table.counts()["sent"] == 1


def test_a_command_that_does_not_read_is_killed_and_takes_no_memory(tmp_path):
    """Records without an outcome are limited, so that the unsent lines are too."""
    why, table = write(
        tmp_path,
        "say(id=0, offset=0)\ntime.sleep(60)",
        silence_max_s=4,
        seconds=60,
        rate=200_000,
        size_max_bytes=400,
    )
    assert re.match(r"gave no outcome for \d+\.\d s, although 20,000 records waited for one", why)
    assert table.counts()["sent"] == 20_001


def test_a_command_that_is_silent_since_the_end_is_named(tmp_path):
    why, table = write(tmp_path, "say(id=0, offset=0)\ntime.sleep(60)", drain_s=0.4)
    assert why.startswith("gave no outcome for 0.")
    assert table.counts()["unknown"] == table.counts()["sent"] - 1 > 100


def test_a_command_that_needs_long_for_its_last_outcomes_is_not_to_blame(tmp_path):
    program = (
        "say(id=0, offset=0)\nfor it in records:\n  time.sleep(.01)\n  say(id=it['id'], offset=0)"
    )
    why, table = write(tmp_path, program, drain_s=0.4)
    assert why == ""
    assert 0 < table.counts()["unknown"] < table.counts()["sent"]


@pytest.mark.parametrize(
    ("ending", "problem"),
    [("sys.exit(4)", "exited with status 4"), ("time.sleep(60)", "did not exit within")],
)
def test_the_exit_of_a_command_is_awaited(ending, problem, tmp_path, monkeypatch):
    monkeypatch.setattr(command_client, "EXIT_S", 0.4)
    why, table = write(tmp_path, GOOD + ending)
    assert why.startswith(problem)
    assert table.counts()["acked"] == table.counts()["sent"]


def test_a_second_outcome_after_the_end_is_named(tmp_path):
    why, _ = write(tmp_path, GOOD + "say(id=0, offset=0)")
    assert why == "wrote a second outcome of record 0"


def test_standard_error_is_kept_but_limited(tmp_path, monkeypatch):
    monkeypatch.setattr(command_client, "STDERR_MAX_BYTES", 1_000)
    why, _ = write(tmp_path, "print('x' * 2000, file=sys.stderr, flush=True)\n" + GOOD)
    assert "MiB to its standard error" in why
    assert (tmp_path / "stderr").read_text().startswith("xxx")


def test_processes_of_a_command_end_with_it(tmp_path):
    pid_file = tmp_path / "pid"
    program = f"""
import subprocess
child = subprocess.Popen(["sleep", "1000"])
open({str(pid_file)!r}, "w").write(str(child.pid))
{GOOD}"""
    why, _ = write(tmp_path, program)
    assert why == ""
    pid = int(pid_file.read_text())
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1][0]
        except FileNotFoundError:
            return
        if state == "Z":
            return
        time.sleep(0.02)
    raise AssertionError("the grandchild lives")


def test_a_command_that_cannot_be_started_is_named(tmp_path):
    why, _ = write(tmp_path, "", command=str(tmp_path / "absent"))
    assert why.startswith("could not be started: ")


def test_the_process_of_a_producer_fails_with_the_reason(tmp_path):
    task = make_task(tmp_path, "sys.exit(9)")
    assert producer.main(task.to_json()) == 1
    [failed] = [it for it in Tail(tmp_path / "e").read() if it["event"] == "producer_failed"]
    assert failed["reason"] == "exited with status 9 before the end of its work"
