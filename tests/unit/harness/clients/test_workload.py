import os
import shlex
import sys
import time
from pathlib import Path

import pytest

from minikafka.harness.clients.ledger_table import read_ledgers
from minikafka.harness.clients.workload import plan_workload
from minikafka.harness.lines import Tail
from minikafka.harness.plan.settings import RunFiles, RunSettings
from minikafka.harness.plan.workload_options import WorkloadOptions

OPTIONS = (
    "acks",
    "idempotent",
    "size_min_bytes",
    "size_max_bytes",
    "size_distribution",
    "key_skew",
    "compression",
    "transactions",
)


def plan(tmp_path, **changes):
    files = RunFiles(tmp_path / "run")
    files.prepare()
    return plan_workload(
        RunSettings(**{"rate": 500, "seed": 9, **changes}),
        files,
        run="r",
        bootstrap_servers="127.0.0.1:1",
        topic="t",
        topic_id="i",
    )


def test_both_clients_share_the_rate_and_have_ledgers_of_their_own(tmp_path):
    tasks = plan(tmp_path).tasks
    assert [(task.pid, task.client) for task in tasks] == [(1, "confluent-kafka"), (2, "aiokafka")]
    assert [task.rate for task in tasks] == [250, 250]
    assert len({task.ledger for task in tasks}) == 2


def test_the_options_reach_every_task(tmp_path):
    """S1."""
    options = WorkloadOptions(
        clients=("kafka-python", "aiokafka", "aiokafka"), acks="1", idempotent=False,
        size_min_bytes=1, size_max_bytes=2, key_skew=0.5, size_distribution="log-uniform",
        compression="gzip",
    )  # fmt: skip
    tasks = plan(tmp_path, workload=options, rate=300).tasks
    assert [task.client for task in tasks] == list(options.clients)
    assert [task.pid for task in tasks] == [1, 2, 3]
    for task in tasks:
        for name in OPTIONS:
            assert getattr(task, name) == getattr(options, name)
        assert task.rate == 100


def test_a_bound_on_bytes_is_shared_like_the_rate(tmp_path):
    tasks = plan(tmp_path, workload=WorkloadOptions(bytes_per_s=900)).tasks
    assert [task.bytes_per_s for task in tasks] == [450, 450]


def test_a_command_has_a_share_of_the_rate_and_a_file_for_its_errors(tmp_path):
    """Issue 51."""
    options = WorkloadOptions(clients=("aiokafka",), client_commands=("./client -v",))
    library, command = plan(tmp_path, workload=options).tasks
    assert (library.client, library.command) == ("aiokafka", "")
    assert (command.client, command.command, command.pid) == ("client", "./client -v", 2)
    assert command.rate == library.rate == 250
    assert command.stderr == str(tmp_path / "run" / "logs" / "client-2.log")


def test_a_failed_command_is_reported_with_what_it_did(tmp_path):
    """Issue 51: rule `producers` has the sentence."""
    command = shlex.join([sys.executable, "-c", "raise SystemExit(3)"])
    workload = plan(tmp_path, workload=WorkloadOptions(clients=(), client_commands=(command,)))
    workload.prepare()
    while not workload.is_ready:
        time.sleep(0.05)
    workload.start()
    while workload.is_running:
        time.sleep(0.05)
    [note] = workload.end()
    name = Path(sys.executable).name
    assert note == (
        f"Producer 1 ({name}): the command exited with status 3 before the end of its work; see"
        f" {tmp_path / 'run' / 'logs' / 'client-1.log'}."
    )


def test_a_killed_producer_is_reported_and_leaves_a_readable_ledger(tmp_path):
    workload = plan(tmp_path)
    workload.tasks.pop()
    workload.start()
    while not workload.event_files[0].exists():
        assert workload.is_running
    [note] = workload.end()
    assert note.startswith("Producer 1 (confluent-kafka) ended with status -9")
    assert not workload.is_running
    [table] = read_ledgers(tmp_path / "run" / "ledger")
    assert table.counts()["unknown"] == table.counts()["sent"]
    assert not table.ended


def test_other_producers_start_when_every_command_is_ready(tmp_path):
    """Issue 51."""
    client = tmp_path / "client.py"
    client.write_text(SLOW_CLIENT)
    command = shlex.join([sys.executable, str(client)])
    options = WorkloadOptions(clients=("aiokafka",), client_commands=(command,))
    workload = plan(tmp_path, workload=options, seconds=1)
    workload.prepare()
    assert not workload.is_ready
    while not workload.is_ready:
        time.sleep(0.05)
    assert len(workload.pids) == 1
    sent = [it for it in Tail(workload.event_files[1]).read() if it["event"] == "produced"]
    assert all(event["sent"] == 1 for event in sent)
    workload.start()
    assert len(workload.pids) == 2
    workload.end()


SLOW_CLIENT = """
import json, sys, time
sys.stdin.readline()
time.sleep(0.5)
for line in sys.stdin:
    print(json.dumps({"id": json.loads(line)["id"], "offset": 0}), flush=True)
"""


def test_a_command_does_not_outlive_an_aborted_run(tmp_path):
    pid_file = tmp_path / "pid"
    program = (
        "import os, sys, time; line = sys.stdin.readline(); "
        f"open({str(pid_file)!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    )
    command = shlex.join([sys.executable, "-c", program])
    workload = plan(tmp_path, workload=WorkloadOptions(clients=(), client_commands=(command,)))
    workload.prepare()
    deadline_s = time.monotonic() + 60
    while not (pid_file.exists() and pid_file.read_text()):
        assert time.monotonic() < deadline_s
        time.sleep(0.02)
    workload.end()
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_file.read_text()), 0)
