"""The interface of the controller to its own state machines, which it creates."""

from typing import Protocol

from minikafka.controller.view import View
from minikafka.metadata.broker_registration import BrokerRegistration, Endpoint
from minikafka.metadata.image import MetadataImage
from minikafka.metadata.loader import MetadataLoader
from minikafka.metadata.serde import MetadataRecord


class Controller(Protocol):
    """The part of `QuorumController` that recoveries, searches and the registration use."""

    loader: MetadataLoader
    """The committed metadata."""

    @property
    def is_active(self) -> bool:
        """True if this controller decides."""

    @property
    def latest(self) -> MetadataImage:
        """The metadata with every record that this controller wrote, committed or not."""

    def broker_endpoint(self, broker_id: int) -> Endpoint | None:
        """Return the address of a broker, or None if it has none."""

    def current_view(self) -> View:
        """Return what decisions start from."""

    def write_recoveries(self, records: list[MetadataRecord]) -> int | None:
        """Append the elections of unclean recoveries."""

    def fence_stopped(self, broker: BrokerRegistration, endpoint: Endpoint) -> None:
        """Fence a broker whose process has ended."""
