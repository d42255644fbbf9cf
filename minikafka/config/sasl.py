"""The SASL configuration of a node: the mechanisms of its listeners, and its own logins.

Source: `JaasContext`, `ChannelBuilders`, `SaslChannelBuilder`, `KafkaConfig.validateValues`.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from minikafka.config import sasl_keys as keys
from minikafka.config.definition import Key
from minikafka.config.listener_security import (
    SecurityProtocol,
    listener_prefix,
    listener_values,
)
from minikafka.config.values import Config

if TYPE_CHECKING:
    from minikafka.config.jaas import LoginModule
    from minikafka.config.signed_tokens import SignedTokens

_MODULES: Final = {
    keys.PLAIN: "org.apache.kafka.common.security.plain.PlainLoginModule",
    keys.SCRAM_SHA_256: "org.apache.kafka.common.security.scram.ScramLoginModule",
    keys.SCRAM_SHA_512: "org.apache.kafka.common.security.scram.ScramLoginModule",
    keys.OAUTHBEARER: "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule",
}
# The module with these imports much that a node without TLS does not need.
_CLIENT_AUTH: Final = "ssl.client.auth"
_NO_CERTIFICATES: Final = "none"
_NUMBERS: Final = ("unsecuredLoginNumberClaim_", "unsecuredLoginLifetimeSeconds")
_MAX_DIGITS: Final = 15


class SaslMechanism(NamedTuple):
    """One mechanism of a listener: its login module, and the values that are in force for it.

    `signed_tokens` is the check of tokens; None if the mechanism is not for signed ones.
    """

    name: str
    module: "LoginModule"
    values: Config
    signed_tokens: "SignedTokens | None" = None


class SaslListener(NamedTuple):
    """The mechanisms of a listener by name, in the order of the configuration, and its values."""

    mechanisms: Mapping[str, SaslMechanism]
    values: Config


class OwnLogin(NamedTuple):
    """The mechanism, and the login module with the credentials, by which a client logs in.

    `token_file` is the file with the token of OAUTHBEARER; empty if the client makes one itself.
    """

    mechanism: str
    module: "LoginModule"
    token_file: str = ""


class SaslConfig(NamedTuple):
    """The SASL listeners by name, and the logins to brokers and controllers; None without SASL."""

    listeners: Mapping[str, SaslListener]
    to_brokers: OwnLogin | None
    to_controllers: OwnLogin | None

    @property
    def key_files(self) -> frozenset[str]:
        """The files with keys of signed tokens."""
        return frozenset(
            mechanism.signed_tokens.key_file
            for listener in self.listeners.values()
            for mechanism in listener.mechanisms.values()
            if mechanism.signed_tokens is not None
        )

    @property
    def token_files(self) -> frozenset[str]:
        """The files with tokens by which this node logs in to others."""
        logins = (self.to_brokers, self.to_controllers)
        return frozenset(each.token_file for each in logins if each and each.token_file)


NO_SASL: Final = SaslConfig({}, None, None)


def sasl_config(
    given: Mapping[str, str],
    protocols: Mapping[str, SecurityProtocol],
    *,
    own: Sequence[str],
    inter_broker: str,
    is_broker: bool,
    controllers: str,
    errors: list[str],
) -> SaslConfig:
    """Return the SASL configuration of a node; add a sentence to `errors` for each error.

    `own` are the names of its own listeners, `inter_broker` is the listener of brokers that it
    connects to, `controllers` that of controllers. A controller that is no broker may lack a login
    to brokers.
    """
    secured = [name for name, protocol in protocols.items() if protocol.has_sasl]
    if not secured:
        return NO_SASL
    listeners = {name: _listener(given, name, errors) for name in own if name in secured}
    to_brokers = None
    if inter_broker in secured:
        key = keys.SASL_MECHANISM_INTER_BROKER_PROTOCOL
        to_brokers = _own_login(given, inter_broker, key, errors if is_broker else [])
    to_controllers = None
    if controllers in secured:
        to_controllers = _own_login(
            given, controllers, keys.SASL_MECHANISM_CONTROLLER_PROTOCOL, errors
        )
    return SaslConfig(listeners, to_brokers, to_controllers)


def check_inter_broker_mechanism(
    given: Mapping[str, str],
    protocols: Mapping[str, SecurityProtocol],
    inter_broker: str,
    errors: list[str],
) -> None:
    """Add an error if the listener of brokers does not accept the mechanism that brokers use."""
    if inter_broker not in protocols or not protocols[inter_broker].has_sasl:
        return
    config = Config(listener_values(given, inter_broker))
    mechanism = config[keys.SASL_MECHANISM_INTER_BROKER_PROTOCOL]
    if mechanism not in config[keys.SASL_ENABLED_MECHANISMS]:
        errors.append(
            f"{keys.SASL_MECHANISM_INTER_BROKER_PROTOCOL.name}: {mechanism} is not in "
            f"{keys.SASL_ENABLED_MECHANISMS.name} of listener {inter_broker}"
        )


def sasl_warnings(
    given: Mapping[str, str], protocols: Mapping[str, SecurityProtocol], sasl: SaslConfig
) -> list[str]:
    """Return a sentence for each value that does not have the effect that one may expect."""
    found = []
    names = sorted(
        name
        for name in given
        if name.startswith("sasl.") or keys.sasl_key(name) != name or ".sasl." in name
    )
    if names and not any(protocol.has_sasl for protocol in protocols.values()):
        found.append(
            "no listener uses SASL: no client is authenticated by it; these keys have no effect: "
            f"{', '.join(names)}"
        )
    jaas = keys.SASL_JAAS_CONFIG.name
    for listener in sasl.listeners:
        # As Kafka: only the text of a mechanism counts.
        found += [
            f"{name}: has no effect; set {listener_prefix(listener)}<mechanism>.{jaas}"
            for name in (jaas, f"{listener_prefix(listener)}{jaas}")
            if name in given
        ]
    asks = given.get(_CLIENT_AUTH, _NO_CERTIFICATES).strip()
    found += [
        f"{_CLIENT_AUTH}: has no effect on listener {name}, whose clients log in; set "
        f"{listener_prefix(name)}{_CLIENT_AUTH}"
        for name in sasl.listeners
        if protocols[name] is SecurityProtocol.SASL_SSL
        and asks != _NO_CERTIFICATES
        and f"{listener_prefix(name)}{_CLIENT_AUTH}" not in given
    ]
    if sasl.to_controllers is not None and sasl.to_controllers.mechanism.startswith("SCRAM"):
        found.append(
            f"{keys.SASL_MECHANISM_CONTROLLER_PROTOCOL.name}: SCRAM credentials are in the "
            "metadata, which a controller without a quorum cannot read; use PLAIN"
        )
    return found


def _listener(given: Mapping[str, str], listener: str, errors: list[str]) -> SaslListener:
    values = listener_values(given, listener)
    config = Config(values)
    name = keys.SASL_ENABLED_MECHANISMS.name
    if name not in values:
        errors.append(
            f"{name}: is required for SASL listener {listener}: Kafka's default, GSSAPI, is not "
            f"available; allowed: {', '.join(keys.MECHANISMS)}"
        )
        return SaslListener({}, config)
    mechanisms = {}
    for mechanism in config[keys.SASL_ENABLED_MECHANISMS]:
        if mechanism not in keys.MECHANISMS:
            errors.append(
                f"{name}: {mechanism} is not available on listener {listener}; allowed: "
                f"{', '.join(keys.MECHANISMS)}"
            )
            continue
        module = _module(given, listener, mechanism, errors)
        if module is not None:
            prefix = f"{mechanism.lower()}."
            own = _values_of_mechanism(values, mechanism)
            mechanisms[mechanism] = SaslMechanism(mechanism, module, Config({**values, **own}))
            handler = keys.SASL_SERVER_CALLBACK_HANDLER_CLASS.name
            if mechanism == keys.OAUTHBEARER:
                mechanisms[mechanism] = _with_validator(listener, mechanisms[mechanism], errors)
            elif own.get(handler, "").strip():
                errors.append(
                    f"{listener_prefix(listener)}{prefix}{handler}: plug-ins are not available; "
                    "the users are those of the login module or the metadata"
                )
    if not config[keys.SASL_ENABLED_MECHANISMS]:
        errors.append(f"{name}: names no mechanism for SASL listener {listener}")
    return SaslListener(mechanisms, config)


def _values_of_mechanism(values: Mapping[str, str], mechanism: str) -> dict[str, str]:
    """Return the values of a listener that are set for one mechanism alone, without its prefix."""
    prefix = f"{mechanism.lower()}."
    return {
        key.removeprefix(prefix): text for key, text in values.items() if key.startswith(prefix)
    }


def _module(
    given: Mapping[str, str], listener: str, mechanism: str, errors: list[str]
) -> "LoginModule | None":
    # A node without SASL listeners does not import this.
    from minikafka.config.jaas import JaasError, parse_jaas  # noqa: PLC0415

    name = f"{listener_prefix(listener)}{mechanism.lower()}.{keys.SASL_JAAS_CONFIG.name}"
    text = listener_values(given, listener).get(f"{mechanism.lower()}.{keys.SASL_JAAS_CONFIG.name}")
    expected = f"{_MODULES[mechanism]} required ...;"
    if text is None:
        errors.append(
            f"{name}: is required for mechanism {mechanism} of listener {listener}, as: {expected}"
        )
        return None
    try:
        module = parse_jaas(text)
    except JaasError as error:
        errors.append(f"{name}: {error}; expected: {expected}")
        return None
    if module.name != _MODULES[mechanism]:
        errors.append(f"{name}: login module {module.name} is not available; expected: {expected}")
        return None
    return module


def _with_validator(listener: str, mechanism: SaslMechanism, errors: list[str]) -> SaslMechanism:
    """Return OAUTHBEARER with its check of tokens."""
    key = keys.SASL_SERVER_CALLBACK_HANDLER_CLASS
    validator = mechanism.values[key]
    prefix = f"{listener_prefix(listener)}{mechanism.name.lower()}."
    if validator in keys.SIGNED_VALIDATORS:
        # A node without signed tokens does not import this.
        from minikafka.config.signed_tokens import signed_tokens  # noqa: PLC0415

        found: list[str] = []
        checked = mechanism._replace(signed_tokens=signed_tokens(mechanism.values, found))
        errors += [f"{prefix}{each}" for each in found]
        return checked
    if validator != keys.UNSECURED_VALIDATOR:
        # Kafka's default accepts unsigned tokens: that must be a decision of the operator.
        problem = f"{validator} is not available" if validator else "is required for OAUTHBEARER"
        allowed = f"{keys.SIGNED_VALIDATORS[0]}, {keys.UNSECURED_VALIDATOR}"
        errors.append(f"{prefix}{key.name}: {problem}; allowed: {allowed}")
    skew = mechanism.module.options.get("unsecuredValidatorAllowableClockSkewMs") or "0"
    if not _is_number(skew):
        errors.append(
            f"{prefix}{keys.SASL_JAAS_CONFIG.name}: "
            "option unsecuredValidatorAllowableClockSkewMs is no number of milliseconds"
        )
    return mechanism


def _own_login(
    given: Mapping[str, str], listener: str, key: Key[str], errors: list[str]
) -> OwnLogin | None:
    mechanism = Config(listener_values(given, listener))[key]
    if mechanism not in keys.MECHANISMS:
        errors.append(
            f"{key.name}: {mechanism} is not available, but listener {listener} needs one; "
            f"allowed: {', '.join(keys.MECHANISMS)}"
        )
        return None
    found: list[str] = []
    module = _module(given, listener, mechanism, found)
    # A broken text of an own listener has been reported already.
    errors += [each for each in found if each not in errors]
    if module is None:
        return None
    found = []
    prefix = f"{listener_prefix(listener)}{mechanism.lower()}."
    file = _token_file(given, listener, found) if mechanism == keys.OAUTHBEARER else ""
    problem = "" if found else login_problem(mechanism, module, file)
    if problem:
        found = [
            f"{keys.SASL_JAAS_CONFIG.name}: {problem}, by which this node logs in to others",
        ]
    errors += [f"{prefix}{each}" for each in found]
    return None if found else OwnLogin(mechanism, module, file)


def _token_file(given: Mapping[str, str], listener: str, errors: list[str]) -> str:
    # A node that does not log in by OAUTHBEARER does not import this.
    from minikafka.config.token_login import token_file  # noqa: PLC0415

    values = listener_values(given, listener)
    own = _values_of_mechanism(values, keys.OAUTHBEARER)
    config = Config({**values, **own})
    # As Kafka: a class that is not set for the mechanism does not count.
    handler = own.get(keys.SASL_LOGIN_CALLBACK_HANDLER_CLASS.name, "").strip()
    is_signed = config[keys.SASL_SERVER_CALLBACK_HANDLER_CLASS] in keys.SIGNED_VALIDATORS
    return token_file(config, handler, errors, needs_signature=is_signed)


def login_problem(mechanism: str, module: "LoginModule", token_file: str = "") -> str:
    """Return what a login module lacks for a client to log in by it; empty if nothing.

    `token_file` is that of `OwnLogin`.
    """
    if module.name != _MODULES[mechanism]:
        return f"login module {module.name} is not for {mechanism}; use {_MODULES[mechanism]}"
    if token_file:
        return ""
    if mechanism == keys.OAUTHBEARER:
        needed: tuple[str, ...] = ("unsecuredLoginStringClaim_sub",)
        numbers = [
            name
            for name, value in module.options.items()
            if name.startswith(_NUMBERS) and not _is_number(value)
        ]
        if numbers:
            return f"option {numbers[0]} is no number"
    else:
        needed = ("username", "password")
    missing = [name for name in needed if not module.options.get(name)]
    return f"has no option {' and '.join(missing)}" if missing else ""


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS
