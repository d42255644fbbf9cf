"""One broker, or one controller, as the metadata log describes it.

Source: `BrokerRegistration`, `ControllerRegistration`.
"""

from dataclasses import dataclass
from typing import NamedTuple

from minikafka.common.ids import Uuid
from minikafka.messages.metadata_records import register_broker_record as broker_record
from minikafka.messages.metadata_records import register_controller_record as controller_record


class Endpoint(NamedTuple):
    """The address of a node's listener. `security_protocol` is Kafka's number."""

    name: str
    host: str
    port: int
    security_protocol: int = 0


class FeatureRange(NamedTuple):
    """The levels of a feature that a node supports, both ends inclusive."""

    minimum: int
    maximum: int

    def includes(self, level: int) -> bool:
        """True if a node with this range supports a finalized `level`."""
        return self.minimum <= level <= self.maximum


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerRegistration:
    """A registered broker. `registered_at` is the offset of its last RegisterBrokerRecord."""

    broker_id: int
    epoch: int
    incarnation_id: Uuid
    endpoints: tuple[Endpoint, ...]
    features: dict[str, FeatureRange]
    rack: str | None
    fenced: bool
    in_controlled_shutdown: bool
    log_dirs: tuple[Uuid, ...]
    cordoned_log_dirs: tuple[Uuid, ...] | None
    registered_at: int

    @classmethod
    def from_record(
        cls, record: broker_record.RegisterBrokerRecord, offset: int
    ) -> "BrokerRegistration":
        """Make the registration from the record at `offset`."""
        cordoned = record.cordoned_log_dirs
        return cls(
            broker_id=record.broker_id,
            epoch=record.broker_epoch,
            incarnation_id=record.incarnation_id,
            endpoints=tuple(
                Endpoint(e.name, e.host, e.port, e.security_protocol) for e in record.end_points
            ),
            features={
                f.name: FeatureRange(f.min_supported_version, f.max_supported_version)
                for f in record.features
            },
            rack=record.rack,
            fenced=record.fenced,
            in_controlled_shutdown=record.in_controlled_shutdown,
            log_dirs=tuple(record.log_dirs),
            cordoned_log_dirs=None if cordoned is None else tuple(cordoned),
            registered_at=offset,
        )

    def to_record(self) -> broker_record.RegisterBrokerRecord:
        """The record from which `from_record` makes this registration again."""
        cordoned = self.cordoned_log_dirs
        return broker_record.RegisterBrokerRecord(
            broker_id=self.broker_id,
            incarnation_id=self.incarnation_id,
            broker_epoch=self.epoch,
            end_points=[
                broker_record.BrokerEndpoint(
                    name=e.name, host=e.host, port=e.port, security_protocol=e.security_protocol
                )
                for e in self.endpoints
            ],
            features=[
                broker_record.BrokerFeature(
                    name=name, min_supported_version=f.minimum, max_supported_version=f.maximum
                )
                for name, f in self.features.items()
            ],
            rack=self.rack,
            fenced=self.fenced,
            in_controlled_shutdown=self.in_controlled_shutdown,
            log_dirs=list(self.log_dirs),
            cordoned_log_dirs=None if cordoned is None else list(cordoned),
        )

    @property
    def active(self) -> bool:
        """True if the broker may be leader and join the ISR."""
        return not self.fenced and not self.in_controlled_shutdown

    def endpoint(self, listener: str) -> Endpoint | None:
        """The endpoint of the broker's `listener`, or None if it has none of that name."""
        for endpoint in self.endpoints:
            if endpoint.name == listener:
                return endpoint
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class ControllerRegistration:
    """A registered controller."""

    controller_id: int
    incarnation_id: Uuid
    endpoints: tuple[Endpoint, ...]
    features: dict[str, FeatureRange]

    @classmethod
    def from_record(
        cls, record: controller_record.RegisterControllerRecord
    ) -> "ControllerRegistration":
        """Make the registration from a record."""
        return cls(
            controller_id=record.controller_id,
            incarnation_id=record.incarnation_id,
            endpoints=tuple(
                Endpoint(e.name, e.host, e.port, e.security_protocol) for e in record.end_points
            ),
            features={
                f.name: FeatureRange(f.min_supported_version, f.max_supported_version)
                for f in record.features
            },
        )

    def to_record(self) -> controller_record.RegisterControllerRecord:
        """The record from which `from_record` makes this registration again."""
        return controller_record.RegisterControllerRecord(
            controller_id=self.controller_id,
            incarnation_id=self.incarnation_id,
            zk_migration_ready=False,
            end_points=[
                controller_record.ControllerEndpoint(
                    name=e.name, host=e.host, port=e.port, security_protocol=e.security_protocol
                )
                for e in self.endpoints
            ],
            features=[
                controller_record.ControllerFeature(
                    name=name, min_supported_version=f.minimum, max_supported_version=f.maximum
                )
                for name, f in self.features.items()
            ],
        )
