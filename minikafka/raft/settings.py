"""The configs of the quorum, as values."""

from typing import NamedTuple

from minikafka.config import broker as keys
from minikafka.config.values import Config


class RaftSettings(NamedTuple):
    """The configs of the quorum: `controller.quorum.*`, in milliseconds; sizes in bytes."""

    election_timeout_ms: int
    election_backoff_max_ms: int
    fetch_timeout_ms: int
    request_timeout_ms: int
    retry_backoff_ms: int
    fetch_max_bytes: int
    snapshot_max_bytes: int
    detects_stopped_nodes: bool = True
    """True if a leader whose address refuses connections counts as stopped."""

    @classmethod
    def of(cls, values: Config) -> "RaftSettings":
        """Read them."""
        return cls(
            values[keys.CONTROLLER_QUORUM_ELECTION_TIMEOUT_MS],
            values[keys.CONTROLLER_QUORUM_ELECTION_BACKOFF_MAX_MS],
            values[keys.CONTROLLER_QUORUM_FETCH_TIMEOUT_MS],
            values[keys.CONTROLLER_QUORUM_REQUEST_TIMEOUT_MS],
            values[keys.CONTROLLER_QUORUM_RETRY_BACKOFF_MS],
            values[keys.CONTROLLER_QUORUM_FETCH_MAX_BYTES],
            values[keys.CONTROLLER_QUORUM_FETCH_SNAPSHOT_MAX_BYTES],
            values[keys.STOPPED_NODE_DETECTION_ENABLE],
        )
