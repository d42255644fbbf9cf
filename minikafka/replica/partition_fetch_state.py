"""The state of a partition that is fetched from a leader. Source: `PartitionFetchState`."""

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from minikafka.common.state_table import StateTable
from minikafka.replica.partition import Partition


class Position(NamedTuple):
    """The position of one partition in a fetch request."""

    leader_epoch: int
    fetch_offset: int
    last_fetched_epoch: int
    log_start_offset: int


class FetchState(Enum):
    """The state of a followed partition."""

    FETCHING = "fetching"
    BACKING_OFF = "backing off"
    FAILED = "failed"


FETCH_STATES = StateTable(
    "followed partition",
    {
        # The leader refuses the fetch, or its records cannot be written; or they do not follow the
        # log's end.
        FetchState.FETCHING: (FetchState.BACKING_OFF, FetchState.FAILED),
        # The back-off is over. Or a response to an earlier request arrives: it is a refusal, its
        # records cannot be written, or they do not follow the log's end.
        FetchState.BACKING_OFF: (
            FetchState.FETCHING,
            FetchState.BACKING_OFF,
            FetchState.FAILED,
        ),
        # Until a new leader epoch, for which `Fetcher.follow` starts again.
        FetchState.FAILED: (),
    },
)


@dataclass(slots=True, eq=False, repr=False)
class FollowedPartition:
    """One partition that is followed in `leader_epoch`."""

    partition: Partition
    leader_epoch: int
    retry_at_ms: int = 0
    """The end of the back-off (monotonic)."""
    state: FetchState = FetchState.FETCHING

    def enter(self, state: FetchState) -> None:
        """Change the state.

        Raises:
            InvariantViolation: `FETCH_STATES` has no such transition.
        """
        FETCH_STATES.require(self.state, state, self.partition.topic_partition)
        self.state = state

    @property
    def position(self) -> Position:
        """The position of the next fetch: always the log's end."""
        log = self.partition.log
        epoch = log.latest_epoch
        return Position(
            self.leader_epoch,
            log.log_end_offset,
            -1 if epoch is None else epoch,
            log.log_start_offset,
        )
