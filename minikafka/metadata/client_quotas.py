"""Client quotas in the metadata: which entities a filter matches, and their quotas.

Source: `ClientQuotasImage`.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple, cast

from minikafka.metadata.carried import CLIENT_QUOTA, records_of
from minikafka.metadata.image import MetadataImage

USER: Final = "user"
CLIENT_ID: Final = "client-id"
IP: Final = "ip"
ENTITY_TYPES: Final = (USER, CLIENT_ID, IP)

Entity = frozenset[tuple[str, str | None]]
"""Types with names; None is the name of the default."""


class QuotaFilter(NamedTuple):
    """The entities that have the names in `named`, and any name for each of `types`.

    If `is_strict`, they have no other type.
    """

    named: Mapping[str, str | None]
    types: frozenset[str]
    is_strict: bool

    def matches(self, entity: Entity) -> bool:
        """True if an entity is meant."""
        names = dict(entity)
        if self.is_strict and len(names) != len(self.named) + len(self.types):
            return False
        return self.types <= names.keys() and self.named.items() <= names.items()


def client_quotas(
    image: MetadataImage, wanted: QuotaFilter
) -> Iterator[tuple[Entity, dict[str, float]]]:
    """Yield each entity that a filter matches with its quotas, in the order of their creation."""
    found: dict[Entity, dict[str, float]] = {}
    for record in cast(list[Any], records_of(image.carried, CLIENT_QUOTA)):
        entity = frozenset((part.entity_type, part.entity_name) for part in record.entity)
        found.setdefault(entity, {})[record.key] = record.value
    for entity, quotas in found.items():
        if wanted.matches(entity):
            yield entity, quotas
