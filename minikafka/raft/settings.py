"""The configs of the quorum, as values."""

from typing import NamedTuple


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
