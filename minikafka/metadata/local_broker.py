"""The broker of this node: its metadata, its epoch and its configuration in force.

Source: `DynamicBrokerConfig`, KIP-226.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from minikafka.config.values import Config, ConfigLayers
from minikafka.metadata.broker_registration import Endpoint
from minikafka.metadata.image import RESOURCE_BROKER, MetadataImage
from minikafka.metadata.loader import MetadataLoader


def broker_layers(image: MetadataImage, node_id: int, static: Mapping[str, str]) -> ConfigLayers:
    """Return the sources of the broker values of a node; `static` are those of its file."""
    return ConfigLayers(
        dynamic_broker=image.config(RESOURCE_BROKER, str(node_id)),
        dynamic_default=image.config(RESOURCE_BROKER, ""),
        static=static,
    )


class BrokerView(Protocol):
    """The part of `LocalBroker` that its state machines read, and never change."""

    @property
    def broker_id(self) -> int:
        """The id of this broker."""

    @property
    def broker_epoch(self) -> int:
        """The epoch of the last registration; -1 before the first one."""

    @property
    def image(self) -> MetadataImage:
        """The metadata that this node has applied."""

    @property
    def config(self) -> Config:
        """The configuration values in force."""

    def config_layers(self) -> ConfigLayers:
        """Return the sources of the configuration values in the applied metadata."""

    def endpoint_of(self, broker_id: int) -> Endpoint | None:
        """Return the address of a broker for requests of other brokers, if it is known."""


@dataclass(slots=True, eq=False, repr=False)
class LocalBroker:
    """One broker. `config` has the values in force at the last `refresh`.

    `listener` is the inter-broker listener. Only `BrokerLifecycle` sets `broker_epoch`.
    """

    broker_id: int
    listener: str
    loader: MetadataLoader
    static: Mapping[str, str]
    config: Config
    broker_epoch: int = -1

    @property
    def image(self) -> MetadataImage:
        """See `BrokerView`."""
        return self.loader.image

    def config_layers(self) -> ConfigLayers:
        """See `BrokerView`."""
        return broker_layers(self.loader.image, self.broker_id, self.static)

    def endpoint_of(self, broker_id: int) -> Endpoint | None:
        """See `BrokerView`."""
        broker = self.loader.image.brokers.get(broker_id)
        return None if broker is None else broker.endpoint(self.listener)

    def refresh(self) -> None:
        """Replace `config` by the values of the applied metadata."""
        self.config = Config(self.config_layers().broker_config().given)
