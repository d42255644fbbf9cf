"""Requests for features that this broker does not have: immediate errors, and one WARN per client.

A client must not retry forever. If some client retries the obvious error without end, the response
has the closest error that all clients treat as fatal.
"""

import logging
from dataclasses import dataclass, field
from enum import Enum

_log = logging.getLogger("minikafka.apis")
_MAX_REMEMBERED = 1_000


class Feature(Enum):
    """An absent feature, as log lines name it."""

    SHARE_GROUPS = "share groups"


@dataclass(slots=True, eq=False, repr=False)
class AbsentFeatureWarnings:
    """The features that each client was warned about; the oldest entries are dropped."""

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
            "client %r at %s requests %s, which this broker does not support: rejected",
            client_id, peer_host, feature.value,
        )  # fmt: skip
