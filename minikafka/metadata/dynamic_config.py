"""The configuration of a node in force: its static values, and those that the metadata sets.

Source: `DynamicBrokerConfig`, KIP-226.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from minikafka.config.values import Config, ConfigLayers
from minikafka.metadata.image import RESOURCE_BROKER, MetadataImage
from minikafka.metadata.loader import MetadataLoader


def broker_layers(image: MetadataImage, node_id: int, static: Mapping[str, str]) -> ConfigLayers:
    """Return the sources of the broker values of a node; `static` are those of its file."""
    return ConfigLayers(
        dynamic_broker=image.config(RESOURCE_BROKER, str(node_id)),
        dynamic_default=image.config(RESOURCE_BROKER, ""),
        static=static,
    )


@dataclass(slots=True, eq=False, repr=False)
class DynamicConfig:
    """The configuration of one broker. `current` has the values in force at the last `refresh`."""

    loader: MetadataLoader
    node_id: int
    static: Mapping[str, str]
    current: Config

    def layers(self) -> ConfigLayers:
        """Return the sources of the broker configuration values in the applied metadata."""
        return broker_layers(self.loader.image, self.node_id, self.static)

    def refresh(self) -> None:
        """Replace `current` by the values of the applied metadata."""
        self.current = Config(self.layers().broker_config().given)
