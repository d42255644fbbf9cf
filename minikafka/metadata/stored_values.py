"""Warnings about stored configuration values that cannot be parsed.

No node of this project writes such a value, but another program may have written the log. Lookups
ignore it (`ConfigLayers`), so that one bad value stops nothing.
"""

import logging
from collections.abc import Mapping

from minikafka.config.definition import ConfigError, Key
from minikafka.config.topic import TOPIC_KEYS
from minikafka.config.values import used_broker_key
from minikafka.metadata.image import RESOURCE_BROKER, RESOURCE_TOPIC, MetadataImage

_log = logging.getLogger("minikafka.node")
_NOTHING: Mapping[str, str] = {}


def warn_of_unusable_values(before: MetadataImage, image: MetadataImage, node_id: int) -> None:
    """Log the values that a change of the metadata stores and that this node cannot use."""
    for resource, values in image.configs.items():
        known = before.configs.get(resource, _NOTHING)
        if known is values:
            continue
        for name, text in values.items():
            key = _used_key(resource, name, node_id)
            if key is not None and known.get(name) != text:
                _check(resource, key, text)


def _used_key(resource: tuple[int, str], name: str, node_id: int) -> Key[object] | None:
    match resource:
        case (kind, _) if kind == RESOURCE_TOPIC:
            return TOPIC_KEYS.get(name)
        case (kind, broker) if kind == RESOURCE_BROKER and broker in ("", str(node_id)):
            return used_broker_key(name)
    return None


def _check(resource: tuple[int, str], key: Key[object], text: str) -> None:
    try:
        key.parse(text)
    except ConfigError as error:
        kind, name = resource
        owner = f"topic {name}" if kind == RESOURCE_TOPIC else f"broker {name}"
        _log.warning(
            "%s: the stored value has no effect: %s",
            owner if name else "all brokers", error,
        )  # fmt: skip
