"""One partition of an internal topic, while this broker leads and therefore coordinates it.

States: loading, settling, active, closed. Only an active shard serves requests. A group shard is
active as soon as it is loaded; a transaction shard settles first: it waits until all records that
it has read are committed.

Source: `CoordinatorRuntime.CoordinatorContext`, `TransactionStateManager`.
"""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Protocol, TypeVar

from minikafka.common.environment import Environment
from minikafka.common.errors import CoordinatorLoadInProgressError, NotCoordinatorError
from minikafka.common.state_table import StateTable
from minikafka.coordinator.journal import Journal, JournalKeys
from minikafka.coordinator.loading import LoadTimes, PartitionLoader, Replay
from minikafka.coordinator.ports import LedPartition, Replicas
from minikafka.metadata.local_broker import BrokerView

_log = logging.getLogger("minikafka.coordinator")


class ShardState(Enum):
    """The state of a shard."""

    LOADING = auto()
    SETTLING = auto()
    ACTIVE = auto()
    CLOSED = auto()


SHARD_STATES = StateTable(
    "shard",
    {
        # The content is read from the log.
        ShardState.LOADING: (ShardState.SETTLING, ShardState.ACTIVE, ShardState.CLOSED),
        # Everything is read; the high watermark is behind it.
        ShardState.SETTLING: (ShardState.ACTIVE, ShardState.CLOSED),
        ShardState.ACTIVE: (ShardState.CLOSED,),
        # This broker is not the leader any more.
        ShardState.CLOSED: (),
    },
)


R_contra = TypeVar("R_contra", bound=Replay, contravariant=True)
R = TypeVar("R", bound=Replay)


class ShardContent(Protocol[R_contra]):
    """The groups or the transactional ids of a shard."""

    def take_over(self, replay: R_contra) -> Iterator[float]:
        """Take over what `replay` has read, in slices; stop if `Shard.still_loads` is False."""

    def release(self) -> None:
        """Drop the content: the shard is closed."""


@dataclass(frozen=True, slots=True)
class ShardServices:
    """What all shards of a coordinator share. `what` names one item of the content in the log."""

    env: Environment
    replicas: Replicas
    view: BrokerView
    journal_keys: JournalKeys
    what: str
    load_times: LoadTimes = field(default_factory=LoadTimes)


class ShardOwner(Protocol):
    """The shards of a topic: see `Shards`."""

    def lost(self, shard: "Shard") -> None:
        """Close a shard whose partition this broker no longer leads."""


@dataclass(slots=True, eq=False)
class Shard:
    """The state of a partition."""

    services: ShardServices
    partition: LedPartition
    owner: ShardOwner
    state: ShardState = ShardState.LOADING
    loaded_to: int = 0
    """The end offset of the records that were loaded; 0 before."""
    journal: Journal = field(init=False)
    _content: ShardContent[Any] | None = None

    def __post_init__(self) -> None:
        """Open the journal."""
        services = self.services
        self.journal = Journal(
            services.env,
            self.partition,
            services.view,
            services.journal_keys,
            services.replicas,
            self,
        )

    def load(self, content: ShardContent[R], replay: R) -> None:
        """Start to read the log into `replay`; `content` takes it over at the end of the log."""
        self._content = content
        services = self.services
        PartitionLoader(
            services.env, self.partition, services.replicas, replay, self, services.load_times
        ).start()

    def loaded(self, replay: Replay) -> None:
        """See `LoadingShard`."""
        assert self._content is not None
        self.loaded_to = replay.next_offset
        self.services.env.spread(self._content.take_over(replay))

    @property
    def is_loading(self) -> bool:
        """See `LoadingShard`."""
        return self.state is ShardState.LOADING

    def still_loads(self) -> bool:
        """True if the shard is loading and this broker leads the partition; closes it if not."""
        if self.is_loading and not self.partition.is_leader:
            self.lose()
        return self.is_loading

    def settle(self, on_committed: Callable[[], None]) -> None:
        """Wait until all loaded records are committed."""
        self.move(ShardState.SETTLING)
        self.journal.expect(self.loaded_to, on_committed=on_committed)

    def activate(self, count: int) -> None:
        """Serve requests; `count` is the number of items that were loaded."""
        self.move(ShardState.ACTIVE)
        what = self.services.what
        # The first request of a cluster loads all partitions, and most of them are empty.
        _log.log(
            logging.INFO if count else logging.DEBUG,
            "[%s] coordinates %s in epoch %d, loaded up to offset %d",
            self.partition.topic_partition,
            f"1 {what}" if count == 1 else f"{count} {what}s",
            self.partition.leader_epoch,
            self.loaded_to,
        )

    def move(self, state: ShardState) -> None:
        """Change the state, if the table allows it."""
        SHARD_STATES.require(self.state, state, self.partition.topic_partition)
        self.state = state

    def lose(self) -> None:
        """End the coordination: this broker no longer leads the partition."""
        self.owner.lost(self)

    def close(self) -> None:
        """Stop coordinating, drop the content and fail all open writes."""
        if self.state is ShardState.CLOSED:
            return
        self.move(ShardState.CLOSED)
        self.journal.is_closed = True
        if self._content is not None:
            self._content.release()
        self.journal.close()

    @property
    def is_closed(self) -> bool:
        """True if this broker no longer coordinates the partition."""
        return self.state is ShardState.CLOSED

    @property
    def serves(self) -> bool:
        """True if the content may be changed here."""
        return self.state is ShardState.ACTIVE and self.partition.is_leader

    def require_active(self) -> None:
        """Check that requests can be served.

        Raises:
            NotCoordinatorError, CoordinatorLoadInProgressError
        """
        if not self.partition.is_leader:
            self.lose()
        self.journal.settle()
        if self.state is ShardState.CLOSED:
            raise NotCoordinatorError
        if self.state is not ShardState.ACTIVE:
            raise CoordinatorLoadInProgressError
