"""S1: what a loop does with a client, with one that is played here, and the log of it."""

import json
from pathlib import Path

import pytest

from minikafka.harness.clients.ledger import FrameWriter, LedgerDamagedError
from minikafka.harness.clients.loop import Loop, run
from minikafka.harness.clients.loop_client import (
    LoopFailedError,
    LoopInput,
    LoopTask,
    loop_input,
    positions,
)
from minikafka.harness.clients.loop_log import (
    ABORTED,
    COMMITTED,
    UNKNOWN,
    InputRun,
    LoopLog,
    Output,
    input_runs,
    read_loop_log,
    unpack,
)
from minikafka.harness.clients.producer_client import NotEndedError
from minikafka.harness.clients.records import RecordFactory
from minikafka.harness.lines import EventLog


@pytest.fixture
def task(tmp_path):
    return LoopTask(
        run="r", loop=1, client="confluent-kafka", bootstrap_servers="127.0.0.1:1", topic="t,u",
        width=2, output="o", log=str(tmp_path / "loop.msgpack"), events=str(tmp_path / "e"),
    )  # fmt: skip


class Played:
    """Gives inputs, and fails where a test says so; notes what was called."""

    def __init__(self, batches=1, **failing):
        self.batches = [
            [LoopInput(0, 10 * n, 7), LoopInput(0, 10 * n + 1, 8)] for n in range(batches)
        ]
        self.failing = failing
        self.called = []
        self.written = []

    def gather(self, _wait_s, _most):
        return self.batches.pop(0) if self.batches else []

    def _call(self, name):
        self.called.append(name)
        if name in self.failing:
            raise self.failing[name]

    def transact(self, outputs, offsets):
        self.written.append((outputs, offsets))
        self._call("transact")

    def commit(self):
        self._call("commit")

    def abort(self):
        self._call("abort")

    def rewind(self):
        self._call("rewind")

    def reached(self):
        return {0: 20}

    def close(self):
        self.called.append("close")


def looped(task, *clients):
    """Run until the last of the clients has no more inputs; return the log and the events."""
    given = list(clients)

    def connect(_task):
        client = given.pop(0)
        if isinstance(client, Exception):
            raise client
        return client

    with FrameWriter(Path(task.log)) as frames:
        log = LoopLog(frames)
        log.header(run="r", loop=1, client="c", transactional_id="i")
        why = run(
            Loop(task, log, EventLog(Path(task.events))),
            lambda: not given and not getattr(clients[-1], "batches", None),
            connect,
            lambda _s: None,
        )
        log.end()
    lines = Path(task.events).read_text().splitlines()
    return why, read_loop_log(Path(task.log)), [json.loads(line) for line in lines]


def test_inputs_are_transformed_and_every_fifth_transaction_is_aborted(task):
    client = Played(batches=7)
    why, record, events = looped(task, client)
    assert why == ""
    expected = [COMMITTED, ABORTED, COMMITTED, COMMITTED, COMMITTED, COMMITTED, ABORTED]
    assert [each.outcome for each in record.transactions.values()] == expected
    assert record.transactions[3].runs == [InputRun(0, 20, 21)]
    assert client.called == [
        *("transact", "commit"), *("transact", "abort", "rewind"), *("transact", "commit") * 4,
        *("transact", "abort", "rewind"), "close",
    ]  # fmt: skip
    outputs, offsets = client.written[2]
    assert [unpack(value) for value in outputs[0]] == [
        Output(0, 20, 1, 3, 7), Output(0, 21, 1, 3, 8),
    ]  # fmt: skip
    assert offsets == {0: 22}
    spans = [event for event in events if event["event"] == "transaction"]
    assert [event["outcome"] for event in spans] == expected
    assert {event["id"] for event in spans} == {"minikafka-verify-r-loop-1"}
    assert record.ended


def test_outputs_that_cannot_be_written_are_aborted_and_the_loop_goes_back(task):
    client = Played(transact=NotEndedError("group moved on"))
    _, record, _ = looped(task, client)
    assert record.transactions[1].outcome == ABORTED
    assert client.called == ["transact", "abort", "rewind", "close"]


def test_a_commit_without_an_answer_has_an_unknown_outcome(task):
    """The abort that follows does not say whether the commit was done before."""
    client = Played(commit=NotEndedError("timeout"))
    _, record, _ = looped(task, client)
    assert record.transactions[1].outcome == UNKNOWN
    assert client.called == ["transact", "commit", "abort", "rewind", "close"]


@pytest.mark.parametrize("step", ["transact", "commit", "rewind"])
def test_another_instance_takes_over_from_a_client_that_failed(task, step):
    failing = {"transact": NotEndedError("x")} if step == "rewind" else {}
    first = Played(**{**failing, step: LoopFailedError("fenced")})
    second = Played()
    why, record, events = looped(task, first, second)
    assert why == ""
    assert record.renewals == 1
    assert [each.outcome for each in record.transactions.values()] == [
        ABORTED if step == "rewind" else UNKNOWN, ABORTED,
    ]  # fmt: skip
    assert first.called[-1] == second.called[-1] == "close"
    assert [event["reason"] for event in events if event["event"] == "loop_renewed"] == ["fenced"]


def test_an_instance_that_cannot_start_is_replaced(task):
    _, record, _ = looped(task, LoopFailedError("no coordinator"), Played())
    assert (record.renewals, record.transactions[1].outcome) == (1, COMMITTED)


def test_a_process_that_takes_over_numbers_its_transactions_above(task):
    with FrameWriter(Path(task.log)) as frames:
        log = LoopLog(frames)
        log.header(run="r", loop=1, client="c", transactional_id="i")
        later = LoopTask(**{**json.loads(task.to_json()), "first_number": 1_000_001})
        Loop(later, log, EventLog(Path(task.events))).turn(Played())
    assert list(read_loop_log(Path(task.log)).transactions) == [1_000_001]


def test_a_transaction_without_an_end_is_unknown_and_a_torn_entry_is_left_out(task):
    with FrameWriter(Path(task.log)) as frames:
        log = LoopLog(frames)
        log.header(run="r", loop=1, client="c", transactional_id="i")
        log.begun(1, [InputRun(0, 0, 4), InputRun(1, 0, 0)])
        log.ended(1, COMMITTED)
        log.begun(2, [InputRun(0, 5, 5)])
        log.ended(2, COMMITTED)
    path = Path(task.log)
    path.write_bytes(path.read_bytes()[:-3])
    record = read_loop_log(Path(task.log))
    assert record.counts() == {COMMITTED: 1, ABORTED: 0, UNKNOWN: 1}
    assert record.transactions[1].input_count == 6
    assert not record.ended


def test_an_end_without_a_begin_is_damage(task):
    with FrameWriter(Path(task.log)) as frames:
        log = LoopLog(frames)
        log.header(run="r", loop=1, client="c", transactional_id="i")
        log.ended(4, COMMITTED)
    with pytest.raises(LedgerDamagedError, match="transaction 4"):
        read_loop_log(Path(task.log))


def test_runs_and_positions_follow_the_inputs():
    inputs = [LoopInput(0, 4, 1), LoopInput(1, 7, 1), LoopInput(0, 5, 1), LoopInput(0, 9, 1)]
    assert input_runs([row[:2] for row in inputs]) == [(0, 4, 5), (1, 7, 7), (0, 9, 9)]
    assert positions(inputs) == {0: 10, 1: 8}


def test_the_digest_of_an_input_is_that_of_the_ledger(task):
    record = RecordFactory(seed=1, pid=1, partitions=4).make(5)
    found = loop_input(3, 9, record.value, record.key, record.headers)
    assert found == (3, 9, record.crc)
    assert task.number("u", 1) == 3
    assert task.place(3) == ("u", 1)
