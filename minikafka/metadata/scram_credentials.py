"""SCRAM credentials in the metadata. Source: `ScramImage`."""

from collections.abc import Callable, Iterator
from typing import Any, cast

from minikafka.metadata.carried import USER_SCRAM_CREDENTIAL, CarriedKey, records_of
from minikafka.metadata.image import MetadataImage
from minikafka.security.scram import FindCredential, ScramCredential, ScramMechanism


def credential_key(mechanism: int, user: str) -> CarriedKey:
    """Return the key of a user's credential among the carried records."""
    return CarriedKey(USER_SCRAM_CREDENTIAL, (user, mechanism))


def credential_finder(image: Callable[[], MetadataImage]) -> FindCredential:
    """Return a look-up of credentials in the metadata that `image` returns at that time."""

    def find(mechanism: ScramMechanism, user: str) -> ScramCredential | None:
        record = cast(Any, image().carried.get(credential_key(mechanism, user)))
        if record is None:
            return None
        return ScramCredential(record.salt, record.stored_key, record.server_key, record.iterations)

    return find


def credentials(image: MetadataImage) -> Iterator[tuple[str, int, int]]:
    """Yield user, mechanism and iterations of each credential, in the order of their creation."""
    for record in cast(list[Any], records_of(image.carried, USER_SCRAM_CREDENTIAL)):
        yield record.name, record.mechanism, record.iterations
