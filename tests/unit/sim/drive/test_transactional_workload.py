"""Transactional clients in a calm cluster commit, abort, copy and fence one another."""

from types import SimpleNamespace

import pytest

from minikafka.common.ids import TopicPartition
from minikafka.messages.fetch import AbortedTransaction
from minikafka.records.batch import ControlType
from minikafka.records.builder import (
    BatchOptions,
    NewRecord,
    build_batch,
    control_record,
    end_marker_value,
)
from minikafka.sim.drive.committed_reader import committed_values, end_of
from minikafka.sim.drive.drawing import draw
from minikafka.sim.drive.incidents import Incident, OperatorAction
from minikafka.sim.drive.simulation import Simulation

WHERE = TopicPartition("t", 0)


def run(version, incidents=()):
    plan = draw(1, 8_000).changed(
        brokers=3, replication_factor=3, min_isr=2, incidents=tuple(incidents),
        transactions=True, transaction_version=version, transaction_pace_ms=200,
        some_stay_down=False, producers=1, groups=0, log_dirs=1,
    )  # fmt: skip
    simulation = Simulation(plan)
    return simulation, simulation.run()


@pytest.mark.parametrize("version", [1, 2])
def test_everything_that_transactions_do_happens(version):
    simulation, outcome = run(version)
    assert outcome.violation is None
    events, rules = outcome.coverage.events, outcome.coverage.rules
    assert events["transactions committed"] > 50
    assert events["transactions aborted"] > 10
    assert events["transactions with offsets"] > 10
    assert events["clients that died in a transaction"] == 1
    assert events["producers fenced"] > 0
    assert rules["OffsetsWithOutputs"] > 20
    assert rules["G0, G1a, G1b, G1c"] > 50
    assert (rules["EpochBump"] > 50) is (version == 2)
    used = [name for name, count in outcome.coverage.excuses.items() if count]
    assert not any(name.startswith("transaction") for name in used)
    seen = [each for each in simulation.clients.transactional.transactions if each.seen]
    assert any(not each.read for each in seen)


def test_producers_without_transactions_write_between_transactions():
    plan = draw(1, 5_000).changed(
        brokers=3, replication_factor=3, min_isr=2, incidents=(), plain_writers=2,
        transactions=True, transaction_version=2, transaction_pace_ms=200, some_stay_down=False,
        producers=1, groups=0, log_dirs=1,
    )  # fmt: skip
    simulation = Simulation(plan)
    outcome = simulation.run()
    assert outcome.violation is None
    assert outcome.coverage.rules["lost, duplicate: beside transactions"] > 20
    assert outcome.coverage.events["plain records before transactional ones"] > 5
    plain = simulation.clients.transactional.plain
    assert {owner for owner, _ in plain.producers} == {None}
    end = simulation.healing.transactional
    logs = {
        where: {each.offset: each.value.decode() for each in written if each.offset is not None}
        for where, written in plain.writes.items()
    }
    assert list(end._plain_writes(logs)) == []
    [(where, offset, value), *_] = [
        (where, offset, value) for where, log in logs.items() for offset, value in log.items()
    ]
    repeated = {**logs, where: {**logs[where], 1 << 20: value}}
    assert [each.kind for each in end._plain_writes(repeated)] == ["duplicate"]
    del logs[where][offset]
    assert [each.kind for each in end._plain_writes(logs)] == ["lost"]
    end.losses.held_back[where] = offset
    assert list(end._plain_writes(logs)) == []


def test_clients_follow_the_transaction_version():
    changes = [
        Incident(at_ms=at_ms, what=OperatorAction.TRANSACTION_VERSION) for at_ms in (3_000, 6_000)
    ]
    _, outcome = run(2, changes)
    assert outcome.violation is None
    assert outcome.coverage.events["changes of the transaction protocol"] > 5
    assert outcome.coverage.rules["EpochBump"] == 0


def data(offset, producer_id, *values):
    rows = [NewRecord(0, None, value.encode()) for value in values]
    return build_batch(rows, BatchOptions(
        base_offset=offset, producer_id=producer_id, producer_epoch=0, base_sequence=0,
        is_transactional=True,
    ))  # fmt: skip


def marker(offset, producer_id, kind=ControlType.ABORT):
    return build_batch(
        [control_record(kind, end_marker_value(0), 0)],
        BatchOptions(
            base_offset=offset, producer_id=producer_id, producer_epoch=0, is_transactional=True,
            is_control=True,
        ),
    )  # fmt: skip


def answer(*batches, aborted=()):
    return SimpleNamespace(
        records=memoryview(b"".join(batches)),
        aborted_transactions=[AbortedTransaction(*each) for each in aborted],
    )


def test_a_reader_leaves_out_aborted_transactions_until_their_marker():
    read = answer(
        data(0, 1, "a", "b"), data(2, 2, "c"), marker(3, 1), data(4, 1, "d"),
        marker(5, 1, ControlType.COMMIT), aborted=[(1, 0)],
    )  # fmt: skip
    assert [each.value for each in committed_values(WHERE, 0, read)] == ["c", "d"]
    assert end_of(read) == 6


def test_a_reader_begins_at_its_position():
    read = answer(data(0, 1, "a", "b", "c"))
    assert [each[1:] for each in committed_values(WHERE, 1, read)] == [(1, "b"), (2, "c")]


def test_an_aborted_transaction_before_the_answer_counts():
    read = answer(data(6, 1, "late"), aborted=[(1, 2)])
    assert committed_values(WHERE, 6, read) == []
    assert committed_values(WHERE, 0, answer()) == []
    assert end_of(answer()) == 0
