"""How a node or a client gets the token by which it logs in with OAUTHBEARER.

Source: `OAuthBearerLoginCallbackHandler`, `DefaultJwtRetriever`, `FileJwtRetriever`.
"""

from typing import Final

from minikafka.config import sasl_keys as keys
from minikafka.config.file_url import path_of
from minikafka.config.values import Config

_EXAMPLE: Final = "file:///etc/kafka/token.jwt"


def token_file(values: Config, handler: str, errors: list[str], *, needs_signature: bool) -> str:
    """Return the file with the token; empty if the client makes an unsigned one.

    `handler` is the class that Kafka would ask for the token, `needs_signature` that the server is
    known to refuse unsigned ones. Adds a sentence to `errors` for each error.
    """
    name = keys.SASL_LOGIN_CALLBACK_HANDLER_CLASS.name
    if handler in keys.TOKEN_LOGINS:
        return path_of(values, keys.TOKEN_ENDPOINT_URL, "tokens", _EXAMPLE, errors)
    if handler not in ("", keys.UNSECURED_LOGIN):
        errors.append(
            f"{name}: {handler} is not available; allowed: {keys.TOKEN_LOGINS[0]}, "
            f"{keys.UNSECURED_LOGIN}"
        )
    elif needs_signature:
        errors.append(
            f"{name}: this node logs in with unsigned tokens, and the listener accepts "
            f"only signed ones: set it to {keys.TOKEN_LOGINS[0]}, and "
            f"{keys.TOKEN_ENDPOINT_URL.name} to the file with a token, as {_EXAMPLE}"
        )
    return ""
