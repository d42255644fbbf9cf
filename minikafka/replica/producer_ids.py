"""Producer ids for clients, from blocks that the controller gives this broker.

The next block is requested when nine tenths of the current one are used. Source:
`RPCProducerIdManager`, KIP-730.
"""

import logging
from dataclasses import dataclass, field
from typing import Any

from minikafka.common.environment import Environment
from minikafka.common.errors import error_of
from minikafka.common.wait_key import WaitKey
from minikafka.messages.allocate_producer_ids import AllocateProducerIdsRequest
from minikafka.metadata.local_broker import BrokerView
from minikafka.rpc.controller_channel import ControllerChannel

_log = logging.getLogger("minikafka.replica")
_VERSION = 0
_PREFETCH_AT = 0.9
_RETRY_MS = 50


@dataclass(slots=True, eq=False, repr=False)
class ProducerIds:
    """Assigns producer ids; `arrived` is notified when a block arrives."""

    env: Environment
    channel: ControllerChannel
    view: BrokerView
    arrived: WaitKey = field(default_factory=lambda: WaitKey("producer ids"))
    _next: int = 0
    _end: int = 0
    _size: int = 0
    _following: tuple[int, int] | None = None
    _asking: bool = False

    @property
    def available(self) -> bool:
        """True if `take` can return an id now; if not, request a block."""
        if self._next == self._end and self._following is not None:
            start, size = self._following
            self._next, self._end, self._size = start, start + size, size
            self._following = None
        if self._next == self._end:
            self._ask()
        return self._next < self._end

    def take(self) -> int:
        """Return a unique producer id. Call it only when `available` is True."""
        assert self._next < self._end
        producer_id = self._next
        self._next += 1
        if self._end - self._next < self._size * (1 - _PREFETCH_AT):
            self._ask()
        return producer_id

    def _ask(self) -> None:
        if self._asking or self._following is not None:
            return
        self._asking = True
        request = AllocateProducerIdsRequest(
            broker_id=self.view.broker_id, broker_epoch=self.view.broker_epoch
        )
        self.channel.send(
            request, _VERSION, timeout_ms=self.channel.request_timeout_ms, on_done=self._answered
        )

    def _answered(self, response: Any | None, why: str) -> None:
        self._asking = False
        if response is None or response.error_code:
            reason = why if response is None else error_of(response.error_code).code.name
            _log.warning("[broker %d] cannot get producer ids: %s", self.view.broker_id, reason)
            if self._next == self._end:
                self.env.after(_RETRY_MS, self._ask)
            return
        self._following = (response.producer_id_start, response.producer_id_len)
        self.env.notify(self.arrived)
