"""A controller's own registration: the active controller has to know its features and endpoints.

Source: `ControllerRegistrationManager`, KIP-919.
"""

import logging
from dataclasses import dataclass
from typing import Any

from minikafka.common.environment import Environment
from minikafka.controller.ports import Controller
from minikafka.messages.controller_registration import (
    ControllerRegistrationRequest,
    Feature,
    Listener,
)
from minikafka.metadata.broker_registration import ControllerRegistration
from minikafka.metadata.features import CONTROLLERS_FROM, METADATA_VERSION
from minikafka.rpc.controller_channel import ControllerChannel

_log = logging.getLogger("minikafka.controller")
_VERSION = 0
_RETRY_MS = 1000


@dataclass(slots=True, eq=False, repr=False)
class ControllerRegistrar:
    """Registers this process with the active controller, until the metadata has it.

    The active one writes its registration itself.
    """

    env: Environment
    channel: ControllerChannel
    registration: ControllerRegistration
    controller: Controller
    _is_busy: bool = False

    def metadata_advanced(self) -> None:
        """Send a request if the committed metadata has another incarnation, or none."""
        if self._is_busy or self.controller.is_active or not self._is_missing():
            return
        self._is_busy = True
        own = self.registration
        request = ControllerRegistrationRequest(
            controller_id=own.controller_id,
            incarnation_id=own.incarnation_id,
            zk_migration_ready=False,
            listeners=[
                Listener(e.name, e.host, e.port, e.security_protocol) for e in own.endpoints
            ],
            features=[Feature(name, f.minimum, f.maximum) for name, f in own.features.items()],
        )
        self.channel.send(
            request, _VERSION, timeout_ms=self.channel.request_timeout_ms, on_done=self._answered
        )

    def _is_missing(self) -> bool:
        image = self.controller.loader.image
        if image.feature(METADATA_VERSION) < CONTROLLERS_FROM:
            return False
        known = image.controllers.get(self.registration.controller_id)
        return known is None or known.incarnation_id != self.registration.incarnation_id

    def _answered(self, response: Any | None, why: str) -> None:
        if response is None or response.error_code:
            _log.warning(
                "[controller %d] is not registered yet: %s",
                self.registration.controller_id,
                why or f"error {response.error_code if response else -1}",
            )
        # The registration is committed with the next records: wait for them before another request.
        self.env.after(_RETRY_MS, self._again)

    def _again(self) -> None:
        self._is_busy = False
        self.metadata_advanced()
