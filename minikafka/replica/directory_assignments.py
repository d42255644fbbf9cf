"""The sender of this broker's replica directory assignments to the controller.

One request is in flight at a time, with at most 2000 replicas; assignments that are added meanwhile
go into the next one. An assignment is kept until the controller has it, even if its directory has
failed since: the controller learns from it that the replica is gone.

Source: `AssignmentsManager`, KIP-858.
"""

import logging
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Protocol

from minikafka.common.environment import Environment
from minikafka.common.errors import ErrorCode, error_of
from minikafka.common.ids import TopicIdPartition, Uuid
from minikafka.messages import assign_replicas_to_dirs as messages
from minikafka.metadata.local_broker import BrokerView
from minikafka.rpc.controller_channel import ControllerChannel

_log = logging.getLogger("minikafka.replica")
_VERSION = 0
_MAX_PER_REQUEST = 2000
_RETRY_MS = 200
_FOREVER_MS = 1 << 40
# Metadata that this broker has not read yet has removed the replica from it.
_FINAL = frozenset(
    (
        ErrorCode.UNKNOWN_TOPIC_ID,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
    )
)

_Assignments = dict[TopicIdPartition, Uuid]


class AssignmentListener(Protocol):
    """The receiver of accepted assignments."""

    def accepted(self, replica: TopicIdPartition, directory: Uuid) -> None:
        """Note that the controller has the directory of a replica."""


@dataclass(slots=True, eq=False, repr=False)
class DirectoryAssignments:
    """Sends assignments until the controller has accepted them."""

    env: Environment
    channel: ControllerChannel
    view: BrokerView
    pending: _Assignments = field(default_factory=dict)
    listener: AssignmentListener | None = None
    _in_flight: _Assignments = field(default_factory=dict)
    """The assignments of the request that was sent, without those that were dropped since."""
    _is_waiting: bool = False
    """True until that request is answered."""
    _scheduled: bool = False

    def assign(self, replica: TopicIdPartition, directory: Uuid) -> None:
        """Report with the next request that a replica is in a directory."""
        self.pending[replica] = directory
        self._schedule(0)

    def forget(self, replica: TopicIdPartition) -> None:
        """Drop an assignment that the controller has already, or whose replica is gone."""
        self.pending.pop(replica, None)
        # If it is assigned again, then the answer is about the former replica.
        self._in_flight.pop(replica, None)

    def _schedule(self, delay_ms: int) -> None:
        # In a later turn, so that all assignments from one metadata change go into one request.
        if not self._is_waiting and not self._scheduled:
            self._scheduled = True
            self.env.after(delay_ms, self._send)

    def _send(self) -> None:
        self._scheduled = False
        if self._is_waiting or not self.pending:
            return
        self._in_flight = dict(islice(self.pending.items(), _MAX_PER_REQUEST))
        self._is_waiting = True
        self.channel.send(
            self._request(self._in_flight),
            _VERSION,
            timeout_ms=_FOREVER_MS,
            on_done=self._answered,
        )

    def _request(self, assignments: _Assignments) -> messages.AssignReplicasToDirsRequest:
        directories: dict[Uuid, dict[Uuid, list[int]]] = {}
        for replica, directory in assignments.items():
            topics = directories.setdefault(directory, {})
            topics.setdefault(replica.topic_id, []).append(replica.partition)
        return messages.AssignReplicasToDirsRequest(
            broker_id=self.view.broker_id,
            broker_epoch=self.view.broker_epoch,
            directories=[
                messages.AssignReplicasToDirsRequestDirectoryData(
                    directory,
                    [
                        messages.AssignReplicasToDirsRequestTopicData(
                            topic_id,
                            [
                                messages.AssignReplicasToDirsRequestPartitionData(index)
                                for index in indexes
                            ],
                        )
                        for topic_id, indexes in topics.items()
                    ],
                )
                for directory, topics in directories.items()
            ],
        )

    def _answered(self, response: Any | None, why: str) -> None:
        self._is_waiting = False
        failed = response is None or bool(response.error_code)
        if response is None or response.error_code:
            reason = why if response is None else error_of(response.error_code).code.name
            _log.warning("[broker %d] AssignReplicasToDirs failed: %s", self.view.broker_id, reason)
        else:
            for directory in response.directories:
                for topic in directory.topics:
                    for it in topic.partitions:
                        replica = TopicIdPartition(topic.topic_id, it.partition_index)
                        failed |= not self._settled(replica, it.error_code)
        if self.pending:
            self._schedule(_RETRY_MS if failed else 0)

    def _settled(self, replica: TopicIdPartition, code: int) -> bool:
        """True if a replica that was in a request need not be sent again with this assignment."""
        if code and code not in _FINAL:
            return False
        # A replica that was assigned again while the request was in flight stays pending.
        sent = self._in_flight.get(replica)
        if self.pending.get(replica) == sent:
            self.pending.pop(replica, None)
        if not code and sent is not None and self.listener is not None:
            self.listener.accepted(replica, sent)
        return True
