"""The state of an authorizer that does not know the ACLs yet."""


class AuthorizerNotReadyError(Exception):
    """The entries are not known yet.

    The connection is closed, and the client tries again: an error that says what it may not do
    would be final. Kafka accepts requests of clients only after it knows the entries.
    """
