"""The automatic creation of topics that clients request, and of internal topics.

A topic that is being created is not requested again before the controller has responded.

Source: `DefaultAutoTopicCreationManager`.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from minikafka.common.environment import Environment
from minikafka.common.errors import ErrorCode, error_of
from minikafka.common.internal_topics import OFFSETS_TOPIC, TRANSACTIONS_TOPIC
from minikafka.config import broker as broker_keys
from minikafka.config import log_keys, transaction_keys
from minikafka.config.definition import Key
from minikafka.config.values import Config
from minikafka.messages import create_topics as messages
from minikafka.rpc.controller_channel import ControllerChannel

_log = logging.getLogger("minikafka.replica")
_VERSION = 7


@dataclass(slots=True, eq=False, repr=False)
class AutoTopics:
    """Requests topics from the controller."""

    env: Environment
    channel: ControllerChannel
    config: Config
    _asked: dict[str, None] = field(default_factory=dict)

    def create(self, names: list[str]) -> None:
        """Request topics that do not exist, except those that are being created already."""
        wanted = [name for name in names if name not in self._asked]
        if not wanted:
            return
        self._asked.update(dict.fromkeys(wanted))
        request = messages.CreateTopicsRequest(
            topics=[self._creatable(name) for name in wanted],
            timeout_ms=self.config[broker_keys.REQUEST_TIMEOUT_MS],
        )
        self.channel.send(
            request,
            _VERSION,
            timeout_ms=self.config[broker_keys.REQUEST_TIMEOUT_MS],
            on_done=lambda response, why: self._answered(wanted, response, why),
        )

    def _creatable(self, name: str) -> messages.CreatableTopic:
        config = self.config
        if name == OFFSETS_TOPIC:
            return _internal(
                name,
                config[log_keys.OFFSETS_TOPIC_NUM_PARTITIONS],
                config[log_keys.OFFSETS_TOPIC_REPLICATION_FACTOR],
                {
                    "cleanup.policy": "compact",
                    "compression.type": "producer",
                    "segment.bytes": config[log_keys.OFFSETS_TOPIC_SEGMENT_BYTES],
                },
            )
        if name == TRANSACTIONS_TOPIC:
            return _internal(
                name,
                config[transaction_keys.STATE_LOG_NUM_PARTITIONS],
                config[transaction_keys.STATE_LOG_REPLICATION_FACTOR],
                {
                    "cleanup.policy": "compact",
                    "compression.type": "uncompressed",
                    "min.insync.replicas": config[transaction_keys.STATE_LOG_MIN_ISR],
                    "segment.bytes": config[transaction_keys.STATE_LOG_SEGMENT_BYTES],
                    "unclean.leader.election.enable": "false",
                },
            )
        # As Kafka: by the values of the broker that was asked; by the controller's if it has none.
        return messages.CreatableTopic(
            name=name,
            num_partitions=self._given(broker_keys.NUM_PARTITIONS),
            replication_factor=self._given(broker_keys.DEFAULT_REPLICATION_FACTOR),
        )

    def _given(self, key: Key[int]) -> int:
        if key not in self.config:
            return -1
        return self.config[key]

    def _answered(self, names: list[str], response: Any | None, why: str) -> None:
        for name in names:
            self._asked.pop(name, None)
        if response is None:
            _log.warning("topics %s not created: %s", ", ".join(names), why)
            return
        for topic in response.topics:
            if topic.error_code not in (0, ErrorCode.TOPIC_ALREADY_EXISTS):
                _log.warning(
                    "topic %s not created: %s %s",
                    topic.name,
                    error_of(topic.error_code).code.name,
                    topic.error_message or "",
                )


def _internal(
    name: str, partitions: int, replicas: int, values: Mapping[str, object]
) -> messages.CreatableTopic:
    return messages.CreatableTopic(
        name=name,
        num_partitions=partitions,
        replication_factor=replicas,
        configs=[
            messages.CreatableTopicConfig(name=key, value=str(value))
            for key, value in values.items()
        ],
    )
