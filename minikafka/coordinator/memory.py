"""The memory bound of a coordinator.

Sizes are estimates. The content of the log is always loaded, even above the bound; a request that
would exceed the bound is rejected with a retriable error.
"""

import logging
from dataclasses import dataclass

from minikafka.common.errors import CoordinatorNotAvailableError
from minikafka.config.definition import Key
from minikafka.metadata.local_broker import BrokerView


@dataclass(slots=True, eq=False)
class MemoryBound:
    """The memory that all groups or transactions of a node use, and the `key` of its bound.

    `what` is "group" or "transaction".
    """

    view: BrokerView
    key: Key[int]
    what: str
    held_bytes: int = 0

    def require(self, more_bytes: int) -> None:
        """Check that `more_bytes` more are within the bound.

        Raises:
            CoordinatorNotAvailableError: they are not; the client will retry.
        """
        if more_bytes <= 0:
            return
        max_bytes = self.view.config[self.key]
        if self.held_bytes + more_bytes > max_bytes:
            logging.getLogger(f"minikafka.{self.what}").warning(
                "a request that would add %d bytes to %ss is rejected with "
                "COORDINATOR_NOT_AVAILABLE: %ss use %d bytes, and %s is %d",
                more_bytes, self.what, self.what, self.held_bytes, self.key.name, max_bytes,
            )  # fmt: skip
            raise CoordinatorNotAvailableError
