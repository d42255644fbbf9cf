"""Transactional clients under faults: every promise holds, and a weakened rule is noticed."""

from dataclasses import replace

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.group.offsets import GroupOffsets
from minikafka.log.producers.producer_state import ProducerState
from minikafka.log.producers.verification import UNCHECKED
from minikafka.replica.transactional_appends import TransactionalAppends
from minikafka.sim.world.violation import Violation
from minikafka.sim.world.world import ConditionTimeoutError
from minikafka.transaction import marker_sender, request_rules
from minikafka.transaction.shard import TransactionShard
from tests.simulation.transactional_run import Run

SECONDS = 12
MAX_SEEDS = 4
"""So many seeds may take part if the first one has changed."""


@pytest.mark.parametrize("seed", range(1, 9))
def test_every_promise_of_transactions_holds(seed):
    run = Run(seed, SECONDS)
    assert run.run() == []
    counts = sum((client.counts for client in run.clients), start=type(run.faults)())
    assert counts["commit"] > 50
    assert counts["abort"] > 10


def last_stable_offset_ignores_open_transactions(patch):
    patch.setattr(ProducerState, "first_unstable_offset", property(lambda _: None))


def unstable_offsets_are_shown(patch):
    patch.setattr(GroupOffsets, "is_unstable", lambda *_: False)


def marker_that_was_refused_is_taken_for_written(patch):
    written = marker_sender._WRITTEN | {ErrorCode.NOT_LEADER_OR_FOLLOWER}
    patch.setattr(marker_sender, "_WRITTEN", written)


def decision_is_applied_when_it_is_written(patch):
    """Markers are sent before the decision is replicated."""
    append = TransactionShard._append

    def hasty(shard, entry, after):
        write = append(shard, entry, after)
        if entry.pending is after:
            shard._apply(entry, after)
        return write

    patch.setattr(TransactionShard, "_append", hasty)


def epoch_of_a_zombie_is_accepted(patch):
    require = request_rules._require_producer

    def lenient(now, producer):
        require(now, replace_epoch(producer, now.producer_epoch))

    patch.setattr(request_rules, "_require_producer", lenient)
    check = ProducerState.check

    def unfenced(state, header, *guard):
        entry = state.producers.get(header.producer_id)
        if entry is not None and header.producer_epoch < entry.epoch:
            return None
        return check(state, header, *guard)

    patch.setattr(ProducerState, "check", unfenced)


def replace_epoch(producer, epoch):
    return producer._replace(epoch=epoch)


def outcome_of_a_prepared_transaction_is_changed(patch):
    """A second producer aborts a transaction whose commit is decided."""
    initialize = request_rules.initialize

    def fencing(now, expected, timeout_ms, decision):
        if now.state.is_prepared:
            now = replace(now, state=request_rules.TransactionState.ONGOING)
        return initialize(now, expected, timeout_ms, decision)

    patch.setattr(request_rules, "initialize", fencing)
    patch.setattr("minikafka.transaction.shard.TransactionEntry.require_settled", settled_anyway)


def settled_anyway(entry):
    assert entry.current is not None
    return entry.current


def partitions_are_not_verified(patch):
    patch.setattr(TransactionalAppends, "_outcome_now", lambda *_: UNCHECKED)


MUTANTS = {
    last_stable_offset_ignores_open_transactions: 1,
    unstable_offsets_are_shown: 3,
    marker_that_was_refused_is_taken_for_written: 22,
    decision_is_applied_when_it_is_written: 15,
    epoch_of_a_zombie_is_accepted: 1,
    outcome_of_a_prepared_transaction_is_changed: 6,
    partitions_are_not_verified: 2,
}
"""Each weakened rule, and the first seed that notices it."""


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_weakened_rule_of_transactions_is_noticed(mutant, monkeypatch):
    mutant(monkeypatch)
    for seed in range(MUTANTS[mutant], MUTANTS[mutant] + MAX_SEEDS):
        try:
            found = Run(seed, SECONDS).run()
        except (Violation, ConditionTimeoutError) as violation:
            found = [str(violation)]
        if found:
            return
    raise AssertionError(f"{mutant.__name__}: no promise was broken in {MAX_SEEDS} seeds")
