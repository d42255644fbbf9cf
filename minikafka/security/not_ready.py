"""The state of an authorizer that does not know the ACLs yet."""

from typing import Final

SUPER_USER: Final = "SuperUser"
"""The rule of decisions for which no ACL is needed."""


class AuthorizerNotReadyError(Exception):
    """The entries are not known yet.

    The connection is closed, and the client tries again: an error that says what it may not do
    would be final. Kafka accepts requests of clients only after it knows the entries.
    """
