"""Requests for what this broker does not have: answered at once, and one WARN a client.

A released client must not wait for what never comes. Where the fitting error is one that some
client retries without end, the answer is the nearest one that all take for final.
"""

import logging
from dataclasses import dataclass, field
from enum import Enum

from minikafka.common.errors import KafkaError, TransactionalIdAuthorizationFailedError

_log = logging.getLogger("minikafka.apis")
_MAX_REMEMBERED = 1_000


class Feature(Enum):
    """What is absent, in the words of a log line."""

    TRANSACTIONS = "transactions"
    SHARE_GROUPS = "share groups"


@dataclass(slots=True)
class AbsentFeatureWarnings:
    """Which client was warned of which feature; the oldest are forgotten."""

    _warned: dict[tuple[str | None, Feature], None] = field(default_factory=dict)

    def warn(self, client_id: str | None, peer_host: str, feature: Feature) -> None:
        """Log that a client needs a feature, once for each client id."""
        key = (client_id, feature)
        if key in self._warned:
            return
        if len(self._warned) >= _MAX_REMEMBERED:
            del self._warned[next(iter(self._warned))]
        self._warned[key] = None
        _log.warning(
            "client %r at %s asks for %s, which are not available: refused",
            client_id, peer_host, feature.value,
        )  # fmt: skip


def no_transactions() -> KafkaError:
    """The refusal of anything transactional.

    librdkafka asks for a transaction coordinator again after every other error, until its
    application gives up.
    """
    return TransactionalIdAuthorizationFailedError("transactions are not available")
