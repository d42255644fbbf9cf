"""The identity of a client or node (`KafkaPrincipal`)."""

from typing import Final, NamedTuple

USER: Final = "User"


class KafkaPrincipal(NamedTuple):
    """A principal: its type, which is `User` unless a mapping says otherwise, and its name.

    `token_authenticated` is True if it logged in with a delegation token.
    """

    type: str
    name: str
    token_authenticated: bool = False

    def __str__(self) -> str:
        return f"{self.type}:{self.name}"


ANONYMOUS: Final = KafkaPrincipal(USER, "ANONYMOUS")
"""Everybody who connects to a listener without authentication."""


def parse_principal(text: str) -> KafkaPrincipal:
    """Return the principal that `Type:name` denotes (`SecurityUtils.parseKafkaPrincipal`).

    Raises:
        ValueError: there is no colon with a type before it.
    """
    kind, separator, name = text.partition(":")
    if not separator or not kind:
        raise ValueError(f"{text[:100]!r} is not a principal; write it as User:name")
    return KafkaPrincipal(kind, name)
