"""The states of a transactional id, and the transitions between them.

Source: `TransactionState`, `TransactionMetadata`, KIP-98, KIP-890.
"""

from enum import Enum

from minikafka.common.state_table import StateTable


class TransactionState(Enum):
    """A state; the value is the number in the log."""

    EMPTY = 0
    ONGOING = 1
    PREPARE_COMMIT = 2
    PREPARE_ABORT = 3
    COMPLETE_COMMIT = 4
    COMPLETE_ABORT = 5
    DEAD = 6
    PREPARE_EPOCH_FENCE = 7

    @property
    def label(self) -> str:
        """The name in requests and responses."""
        return "".join(part.capitalize() for part in self.name.split("_"))

    @property
    def is_prepared(self) -> bool:
        """True if the outcome is decided, and its markers are being written."""
        return self in (TransactionState.PREPARE_COMMIT, TransactionState.PREPARE_ABORT)

    @property
    def is_idle(self) -> bool:
        """True if there is no transaction; only such an id may expire."""
        return self in _IDLE


_IDLE = (
    TransactionState.EMPTY,
    TransactionState.COMPLETE_COMMIT,
    TransactionState.COMPLETE_ABORT,
)
_FROM_IDLE = (
    # InitProducerId.
    TransactionState.EMPTY,
    # The first partition is added.
    TransactionState.ONGOING,
    # A client of transaction version 2 aborts although no partition was added.
    TransactionState.PREPARE_ABORT,
    # The id has expired.
    TransactionState.DEAD,
)

TRANSACTION_STATES = StateTable(
    "transaction",
    {
        TransactionState.EMPTY: _FROM_IDLE,
        TransactionState.ONGOING: (
            TransactionState.ONGOING,
            TransactionState.PREPARE_COMMIT,
            TransactionState.PREPARE_ABORT,
            # A timeout, or a new producer with the same id.
            TransactionState.PREPARE_EPOCH_FENCE,
        ),
        # Every partition has its marker.
        TransactionState.PREPARE_COMMIT: (TransactionState.COMPLETE_COMMIT,),
        TransactionState.PREPARE_ABORT: (TransactionState.COMPLETE_ABORT,),
        TransactionState.COMPLETE_COMMIT: _FROM_IDLE,
        TransactionState.COMPLETE_ABORT: _FROM_IDLE,
        TransactionState.DEAD: (),
        # Never written: the next state is written at once, with the bumped epoch.
        TransactionState.PREPARE_EPOCH_FENCE: (TransactionState.PREPARE_ABORT,),
    },
)
