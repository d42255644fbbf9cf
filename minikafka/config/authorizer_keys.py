"""Broker keys of the authorizer.

Source: `ServerConfigs`, `StandardAuthorizer`.
"""

from collections.abc import Mapping

from minikafka.config.definition import ConfigType, Key, one_of

STANDARD_AUTHORIZER = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"

AUTHORIZER_CLASS_NAME: Key[str] = Key(
    name="authorizer.class.name",
    type=ConfigType.STRING,
    default="",
    valid=one_of("", STANDARD_AUTHORIZER),
    doc="The authorizer; without one everybody may do everything.",
)
SUPER_USERS: Key[str] = Key(
    name="super.users",
    type=ConfigType.STRING,
    default="",
    doc="Principals that may do everything: User:name, separated by semicolons.",
)
ALLOW_EVERYONE_IF_NO_ACL_FOUND: Key[bool] = Key(
    name="allow.everyone.if.no.acl.found",
    type=ConfigType.BOOLEAN,
    default=False,
    doc="Whether everybody may do everything to a resource that no ACL is about.",
)

AUTHORIZER_KEYS: tuple[Key[object], ...] = (
    AUTHORIZER_CLASS_NAME,
    SUPER_USERS,
    ALLOW_EVERYONE_IF_NO_ACL_FOUND,
)


def authorizer_warnings(given: Mapping[str, str]) -> list[str]:
    """Return a sentence for each value that limits no client, since there is no authorizer."""
    if given.get(AUTHORIZER_CLASS_NAME.name, "").strip():
        return []
    return [
        f"{key.name}: has no effect without {AUTHORIZER_CLASS_NAME.name}: every client may do "
        "everything"
        for key in (SUPER_USERS, ALLOW_EVERYONE_IF_NO_ACL_FOUND)
        if given.get(key.name, "").strip()
    ]
