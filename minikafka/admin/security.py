"""How a client secures its connections, from the properties of a Java client.

Source: `CommonClientConfigs`, `SaslConfigs`, `SslConfigs`.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from minikafka.admin.reach import Secure
from minikafka.config.definition import ConfigError
from minikafka.config.jaas import JaasError, parse_jaas
from minikafka.config.listener_security import SecurityProtocol
from minikafka.config.sasl import OwnLogin, login_problem
from minikafka.config.sasl_keys import (
    MECHANISMS,
    OAUTHBEARER,
    SASL_JAAS_CONFIG,
    SASL_LOGIN_CALLBACK_HANDLER_CLASS,
)

_PROTOCOL: Final = "security.protocol"
_MECHANISM: Final = "sasl.mechanism"


class ClientSecurityError(Exception):
    """Properties that cannot be used; the message names the key, and has no password."""


class ClientSecurity(NamedTuple):
    """What happens on a new connection before its first request."""

    secure: Secure | None = None
    login: OwnLogin | None = None


UNSECURED: Final = ClientSecurity()
"""PLAINTEXT: nothing."""


def security_of(properties: Mapping[str, str]) -> ClientSecurity:
    """Return the security that the properties describe; without any it is PLAINTEXT.

    Raises:
        ClientSecurityError: see there.
    """
    name = properties.get(_PROTOCOL, SecurityProtocol.PLAINTEXT.value).strip()
    try:
        protocol = SecurityProtocol(name.upper())
    except ValueError:
        raise ClientSecurityError(
            f"{_PROTOCOL}={name}: is not a protocol; allowed: "
            f"{', '.join(each.value for each in SecurityProtocol)}"
        ) from None
    return ClientSecurity(
        _tls(properties) if protocol.has_tls else None,
        _login(properties) if protocol.has_sasl else None,
    )


def _tls(properties: Mapping[str, str]) -> Secure:
    # Only a client that uses TLS imports it.
    from minikafka.config.ssl_keys import ssl_settings  # noqa: PLC0415
    from minikafka.tls.blocking import secured_by  # noqa: PLC0415
    from minikafka.tls.stores import TlsError  # noqa: PLC0415

    try:
        return secured_by(ssl_settings(properties))
    except (ConfigError, TlsError) as error:
        raise ClientSecurityError(str(error)) from None


def _login(properties: Mapping[str, str]) -> OwnLogin:
    mechanism = properties.get(_MECHANISM, "GSSAPI")
    if mechanism not in MECHANISMS:
        raise ClientSecurityError(
            f"{_MECHANISM}={mechanism}: is not available; allowed: {', '.join(MECHANISMS)}"
        )
    key = SASL_JAAS_CONFIG.name
    text = properties.get(key)
    if text is None:
        raise ClientSecurityError(f"{key}: is missing; {_MECHANISM} {mechanism} needs it")
    try:
        module = parse_jaas(text)
    except JaasError as error:
        raise ClientSecurityError(f"{key}: {error}") from None
    file = _token_file(properties) if mechanism == OAUTHBEARER else ""
    problem = login_problem(mechanism, module, file)
    if problem:
        raise ClientSecurityError(f"{key}: {problem}")
    return OwnLogin(mechanism, module, file)


def _token_file(properties: Mapping[str, str]) -> str:
    # Only a client that logs in by OAUTHBEARER imports these.
    from minikafka.config.token_login import token_file  # noqa: PLC0415
    from minikafka.config.values import Config  # noqa: PLC0415

    handler = properties.get(SASL_LOGIN_CALLBACK_HANDLER_CLASS.name, "").strip()
    errors: list[str] = []
    path = token_file(Config(properties), handler, errors, needs_signature=False)
    if errors:
        raise ClientSecurityError(errors[0])
    return path
