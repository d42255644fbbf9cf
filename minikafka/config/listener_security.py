"""How each listener is secured: its protocol, and the keys that are set for it alone.

Source: `AbstractKafkaConfig.effectiveListenerSecurityProtocolMap`, `ListenerName`,
`AbstractConfig.valuesWithPrefixOverride`.
"""

from collections.abc import Iterable, Mapping
from enum import Enum


class SecurityProtocol(Enum):
    """How the connections of a listener are encrypted and authenticated."""

    PLAINTEXT = "PLAINTEXT"
    SSL = "SSL"
    SASL_PLAINTEXT = "SASL_PLAINTEXT"
    SASL_SSL = "SASL_SSL"

    @property
    def number(self) -> int:
        """Kafka's number in registrations."""
        return tuple(SecurityProtocol).index(self)

    @property
    def has_tls(self) -> bool:
        """True if connections are encrypted."""
        return self in (SecurityProtocol.SSL, SecurityProtocol.SASL_SSL)

    @property
    def has_sasl(self) -> bool:
        """True if clients log in before their first request."""
        return self in (SecurityProtocol.SASL_PLAINTEXT, SecurityProtocol.SASL_SSL)


_PREFIX = "listener.name."


def unknown_listener_warnings(given: Mapping[str, str], listeners: Iterable[str]) -> list[str]:
    """Return a sentence for each listener that keys name, and that does not exist."""
    known = [name.lower() for name in listeners]
    found = dict.fromkeys(
        name.removeprefix(_PREFIX).partition(".")[0] for name in given if name.startswith(_PREFIX)
    )
    return [
        f"{_PREFIX}{name}.*: have no effect, since there is no such listener; known in such keys: "
        f"{', '.join(known)}"
        for name in found
        if name not in known
    ]


def listener_prefix(listener: str) -> str:
    """Return the beginning of the keys that are set for one listener."""
    return f"{_PREFIX}{listener.lower()}."


def listener_values(given: Mapping[str, str], listener: str) -> dict[str, str]:
    """Return all values as one listener has them: those that are set for it alone replace others.

    A key that is set for the listener is in the result without its prefix.
    """
    prefix = listener_prefix(listener)
    own = {name[len(prefix) :]: text for name, text in given.items() if name.startswith(prefix)}
    return {**given, **own}
