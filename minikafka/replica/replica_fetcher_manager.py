"""The fetchers of a broker, one for each leader, and the leader that each replica follows.

Source: `ReplicaFetcherManager`, `AbstractFetcherManager`.
"""

import logging
from dataclasses import dataclass, field

from minikafka.common.effects import Channel
from minikafka.common.environment import Environment
from minikafka.common.faults import FaultReceiver
from minikafka.common.ids import TopicIdPartition
from minikafka.metadata.local_broker import BrokerView
from minikafka.metadata.partition_registration import NO_LEADER
from minikafka.replica.fetcher import Fetcher
from minikafka.replica.log_flusher import LogFlusher
from minikafka.replica.partition import Partition
from minikafka.replica.settings import FetchSettings
from minikafka.replica.truncation import truncate_replica
from minikafka.rpc.calls import Calls

_log = logging.getLogger("minikafka.replica")


@dataclass(slots=True, eq=False, repr=False)
class ReplicaFetcherManager:
    """Assigns each followed partition to the fetcher of its leader."""

    env: Environment
    calls: Calls
    view: BrokerView
    settings: FetchSettings
    faults: FaultReceiver
    flusher: LogFlusher
    _fetchers: dict[int, Fetcher] = field(default_factory=dict)
    _leaders: dict[TopicIdPartition, int] = field(default_factory=dict)
    """The leader of each followed partition."""

    def follows(self, key: TopicIdPartition) -> bool:
        """True if a partition is fetched from a leader."""
        return key in self._leaders

    def follow(self, key: TopicIdPartition, partition: Partition) -> None:
        """Fetch a partition from its current leader, if that has a known address.

        Raises:
            StorageFault: its log could not be truncated.
        """
        self.unfollow(key)
        leader = partition.leader
        if leader == NO_LEADER:
            return
        fetcher = self._fetcher(leader)
        if fetcher is None:
            _log.info("[%s] leader %d has no known address yet", partition.topic_partition, leader)
            return
        if partition.log.latest_epoch is None:
            # The epochs of the local records are unknown: keep only committed records.
            truncate_replica(self.env, partition, partition.log.high_watermark, self.faults)
        self._leaders[key] = leader
        fetcher.follow(partition)

    def unfollow(self, key: TopicIdPartition) -> None:
        """Stop fetching a partition; close the fetcher of a leader that no partition follows."""
        leader = self._leaders.pop(key, None)
        if leader is None:
            return
        fetcher = self._fetchers.get(leader)
        if fetcher is not None:
            fetcher.unfollow(key)
            if not fetcher.followed:
                del self._fetchers[leader]
                fetcher.close()

    def _fetcher(self, leader: int) -> Fetcher | None:
        endpoint = self.view.endpoint_of(leader)
        if endpoint is None:
            return None
        channel = Channel(endpoint.host, endpoint.port, "replica")
        present = self._fetchers.get(leader)
        if present is not None and present.channel == channel:
            return present
        fetcher = self._fetchers[leader] = Fetcher(
            self.env,
            self.calls,
            channel,
            leader,
            self.view,
            self.settings,
            self.faults,
            self.flusher,
        )
        if present is not None:
            # The leader has a new address, for all partitions that are followed there.
            present.close()
            for followed in present.followed.values():
                fetcher.follow(followed.partition)
        return fetcher

    def renew_addresses(self) -> None:
        """Fetch from the current addresses of the followed leaders."""
        for leader in list(self._fetchers):
            self._fetcher(leader)

    def flushed(self, key: TopicIdPartition) -> None:
        """Note that the fetched records of a partition are durable."""
        leader = self._leaders.get(key)
        if leader is not None:
            self._fetchers[leader].flushed(key)

    def moved(self, key: TopicIdPartition) -> None:
        """Note that something else than a fetch moved the log of a partition."""
        leader = self._leaders.get(key)
        if leader is not None:
            self._fetchers[leader].moved(key)

    def close(self) -> None:
        """Stop all fetchers."""
        for fetcher in self._fetchers.values():
            fetcher.close()
        self._fetchers.clear()
        self._leaders.clear()
