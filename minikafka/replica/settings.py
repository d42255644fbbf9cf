"""The configs of replication and of the broker's life, as values."""

from typing import Final, NamedTuple

from minikafka.config import broker as keys
from minikafka.config.values import Config

_VERSION: Final = 17


class FetchSettings(NamedTuple):
    """The configs of a follower's fetches."""

    version: int
    max_wait_ms: int
    min_bytes: int
    max_bytes: int
    partition_max_bytes: int
    backoff_ms: int
    timeout_ms: int

    @classmethod
    def of(cls, values: Config) -> "FetchSettings":
        """Read them."""
        return cls(
            version=_VERSION,
            max_wait_ms=values[keys.REPLICA_FETCH_WAIT_MAX_MS],
            min_bytes=values[keys.REPLICA_FETCH_MIN_BYTES],
            max_bytes=values[keys.REPLICA_FETCH_RESPONSE_MAX_BYTES],
            partition_max_bytes=values[keys.REPLICA_FETCH_MAX_BYTES],
            backoff_ms=values[keys.REPLICA_FETCH_BACKOFF_MS],
            timeout_ms=values[keys.REPLICA_SOCKET_TIMEOUT_MS],
        )


class ReplicaSettings(NamedTuple):
    """The configs of replication."""

    fetch: FetchSettings
    lag_max_ms: int
    high_watermark_checkpoint_ms: int
    selects_by_rack: bool = False
    """True if consumers read from a follower in their rack (replica.selector.class)."""

    @classmethod
    def of(cls, values: Config) -> "ReplicaSettings":
        """Read them."""
        return cls(
            FetchSettings.of(values),
            values[keys.REPLICA_LAG_TIME_MAX_MS],
            values[keys.REPLICA_HIGH_WATERMARK_CHECKPOINT_INTERVAL_MS],
            bool(values[keys.REPLICA_SELECTOR_CLASS]),
        )


class LifecycleSettings(NamedTuple):
    """The configs of registration, heartbeats and shutdown."""

    rack: str | None
    heartbeat_interval_ms: int
    registration_timeout_ms: int
    session_timeout_ms: int
    hands_over: bool = True
    """False if the broker stops without asking the controller (controlled.shutdown.enable)."""
    shutdown_timeout_ms: int = 300_000

    @classmethod
    def of(cls, values: Config) -> "LifecycleSettings":
        """Read them."""
        return cls(
            values[keys.BROKER_RACK],
            values[keys.BROKER_HEARTBEAT_INTERVAL_MS],
            values[keys.INITIAL_BROKER_REGISTRATION_TIMEOUT_MS],
            values[keys.BROKER_SESSION_TIMEOUT_MS],
            values[keys.CONTROLLED_SHUTDOWN_ENABLE],
        )
