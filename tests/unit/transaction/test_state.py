"""The states of a transaction have Kafka's numbers, names and transitions."""

import pytest

from minikafka.common.faults import InvariantViolation
from minikafka.transaction.state import TRANSACTION_STATES, TransactionState

S = TransactionState


def test_numbers_and_names_are_kafka_s():
    assert {state.value: state.label for state in S} == {
        0: "Empty", 1: "Ongoing", 2: "PrepareCommit", 3: "PrepareAbort", 4: "CompleteCommit",
        5: "CompleteAbort", 6: "Dead", 7: "PrepareEpochFence",
    }  # fmt: skip


def test_only_ids_without_a_transaction_are_idle():
    assert [state for state in S if state.is_idle] == [
        S.EMPTY, S.COMPLETE_COMMIT, S.COMPLETE_ABORT
    ]  # fmt: skip
    assert [state for state in S if state.is_prepared] == [S.PREPARE_COMMIT, S.PREPARE_ABORT]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (S.EMPTY, S.PREPARE_COMMIT),
        (S.ONGOING, S.EMPTY),
        (S.ONGOING, S.COMPLETE_COMMIT),
        (S.PREPARE_COMMIT, S.PREPARE_ABORT),
        (S.PREPARE_COMMIT, S.COMPLETE_ABORT),
        (S.PREPARE_ABORT, S.COMPLETE_COMMIT),
        (S.PREPARE_ABORT, S.ONGOING),
        (S.ONGOING, S.DEAD),
        (S.DEAD, S.EMPTY),
    ],
)
def test_an_outcome_cannot_change(before, after):
    with pytest.raises(InvariantViolation, match=f"{before.name} -> {after.name}"):
        TRANSACTION_STATES.require(before, after)
