"""The sender of this broker's ISR proposals to the controller.

One request is in flight at a time; proposals that are made meanwhile go together into the next one,
or into several, since a controller handles a request in one step and limits its size. A proposal
replaces an older one of the same partition that was not sent yet.

Source: `DefaultAlterPartitionManager`, KIP-497, KIP-903.
"""

import logging
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from minikafka.common.environment import Environment
from minikafka.common.errors import error_of
from minikafka.common.ids import TopicIdPartition, Uuid
from minikafka.messages import alter_partition as messages
from minikafka.metadata.local_broker import BrokerView
from minikafka.replica.in_sync_replicas import IsrProposal
from minikafka.replica.partition import Partition
from minikafka.rpc.controller_channel import ControllerChannel
from minikafka.rpc.envelope import MAX_CLIENT_REQUEST_ELEMENTS

_log = logging.getLogger("minikafka.replica")
_VERSION = 3
_RETRY_MS = 50
_FOREVER_MS = 1 << 40
_MAX_ELEMENTS = MAX_CLIENT_REQUEST_ELEMENTS
"""The limit for the array elements of one request: a controller on any listener accepts it."""


class SentProposal(NamedTuple):
    """A proposal, and the partition that gets the result."""

    partition: Partition
    proposal: IsrProposal


@dataclass(slots=True, eq=False, repr=False)
class AlterPartitionManager:
    """Sends proposals and reports the results to their partitions."""

    env: Environment
    channel: ControllerChannel
    view: BrokerView
    is_asking: bool = False
    """True while a request is in flight."""
    _unsent: dict[TopicIdPartition, SentProposal] = field(default_factory=dict)
    _scheduled: bool = False

    def propose(self, partition: Partition, proposal: IsrProposal) -> None:
        """Send a proposal with the next request."""
        key = TopicIdPartition(partition.topic_id, partition.topic_partition.partition)
        self._unsent[key] = SentProposal(partition, proposal)
        self._schedule(0)

    def _schedule(self, delay_ms: int) -> None:
        # In a later turn, so that all proposals from one fetch go into one request.
        if not self.is_asking and not self._scheduled:
            self._scheduled = True
            self.env.after(delay_ms, self._send)

    def _send(self) -> None:
        self._scheduled = False
        if self.is_asking or not self._unsent:
            return
        sent = self._take()
        self.is_asking = True
        self.channel.send(
            self._request(sent),
            _VERSION,
            timeout_ms=_FOREVER_MS,
            on_done=lambda response, _: self._answered(sent, response),
        )

    def _take(self) -> dict[TopicIdPartition, SentProposal]:
        """Remove and return the proposals of the next request, the oldest first."""
        taken: dict[TopicIdPartition, SentProposal] = {}
        elements = 0
        for key, sent in self._unsent.items():
            # The topic, the partition, and the members of the ISR.
            elements += 2 + len(sent.proposal.isr)
            if elements > _MAX_ELEMENTS and taken:
                break
            taken[key] = sent
        for key in taken:
            del self._unsent[key]
        return taken

    def _request(
        self, proposals: dict[TopicIdPartition, SentProposal]
    ) -> messages.AlterPartitionRequest:
        topics: dict[Uuid, messages.AlterPartitionRequestTopicData] = {}
        for key, (_, proposal) in proposals.items():
            topic = topics.setdefault(
                key.topic_id, messages.AlterPartitionRequestTopicData(topic_id=key.topic_id)
            )
            topic.partitions.append(
                messages.AlterPartitionRequestPartitionData(
                    partition_index=key.partition,
                    leader_epoch=proposal.leader_epoch,
                    new_isr_with_epochs=[
                        messages.BrokerState(broker_id=broker, broker_epoch=epoch)
                        for broker, epoch in zip(proposal.isr, proposal.broker_epochs, strict=True)
                    ],
                    leader_recovery_state=int(proposal.recovery_state),
                    partition_epoch=proposal.partition_epoch,
                )
            )
        return messages.AlterPartitionRequest(
            broker_id=self.view.broker_id,
            broker_epoch=self.view.broker_epoch,
            topics=list(topics.values()),
        )

    def _answered(self, sent: dict[TopicIdPartition, SentProposal], response: Any | None) -> None:
        if response is None or response.error_code:
            why = "no response" if response is None else error_of(response.error_code).code.name
            _log.warning("AlterPartition failed: %s; partitions in it: %d", why, len(sent))
        else:
            for topic in response.topics:
                for answer in topic.partitions:
                    key = TopicIdPartition(topic.topic_id, answer.partition_index)
                    found = sent.pop(key, None)
                    if found is not None:
                        _report(found, answer)
        self.is_asking = False
        # A controller responds for every partition; a proposal that it left out is sent again, but
        # not before those that were not sent yet.
        delay_ms = _RETRY_MS if sent else 0
        for key, each in sent.items():
            self._unsent.setdefault(key, each)
        if self._unsent:
            self._schedule(delay_ms)


def _report(sent: SentProposal, answer: Any) -> None:
    partition, proposal = sent
    if answer.error_code:
        partition.isr_refused(proposal, answer.error_code)
    elif answer.leader_epoch == proposal.leader_epoch:
        partition.isr_committed(proposal, tuple(answer.isr), answer.partition_epoch)
