"""Broker keys of SASL: which mechanisms a listener has, and what each of them needs.

Source: `BrokerSecurityConfigs`, `SaslConfigs`.
"""

from typing import Final

from minikafka.config.definition import ConfigType, Key, Update, at_least

PLAIN: Final = "PLAIN"
SCRAM_SHA_256: Final = "SCRAM-SHA-256"
SCRAM_SHA_512: Final = "SCRAM-SHA-512"
OAUTHBEARER: Final = "OAUTHBEARER"
MECHANISMS: Final = (PLAIN, SCRAM_SHA_256, SCRAM_SHA_512, OAUTHBEARER)
UNSECURED_VALIDATOR: Final = (
    "org.apache.kafka.common.security.oauthbearer.internals.unsecured."
    "OAuthBearerUnsecuredValidatorCallbackHandler"
)
SIGNED_VALIDATORS: Final = (
    "org.apache.kafka.common.security.oauthbearer.OAuthBearerValidatorCallbackHandler",
    "org.apache.kafka.common.security.oauthbearer.secured.OAuthBearerValidatorCallbackHandler",
)
"""Kafka's current and former name of the same class."""
UNSECURED_LOGIN: Final = (
    "org.apache.kafka.common.security.oauthbearer.internals.unsecured."
    "OAuthBearerUnsecuredLoginCallbackHandler"
)
TOKEN_LOGINS: Final = (
    "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler",
    "org.apache.kafka.common.security.oauthbearer.secured.OAuthBearerLoginCallbackHandler",
)
"""Kafka's current and former name of the same class."""

SASL_ENABLED_MECHANISMS: Key[tuple[str, ...]] = Key(
    name="sasl.enabled.mechanisms",
    type=ConfigType.LIST,
    default=("GSSAPI",),
    update=Update.PER_BROKER,
    doc=f"The mechanisms of SASL listeners: {', '.join(MECHANISMS)}; GSSAPI is not available.",
)
SASL_JAAS_CONFIG: Key[str | None] = Key(
    name="sasl.jaas.config",
    type=ConfigType.PASSWORD,
    default=None,
    nullable=True,
    update=Update.PER_BROKER,
    doc="The login module of a mechanism, with its users or the node's own credentials; set as "
    "listener.name.<listener>.<mechanism>.sasl.jaas.config.",
)
SASL_MECHANISM_INTER_BROKER_PROTOCOL: Key[str] = Key(
    name="sasl.mechanism.inter.broker.protocol",
    type=ConfigType.STRING,
    default="GSSAPI",
    update=Update.PER_BROKER,
    doc="The mechanism by which this broker logs in to other brokers.",
)
SASL_MECHANISM_CONTROLLER_PROTOCOL: Key[str] = Key(
    name="sasl.mechanism.controller.protocol",
    type=ConfigType.STRING,
    default="GSSAPI",
    doc="The mechanism by which this node logs in to controllers.",
)
CONNECTIONS_MAX_REAUTH_MS: Key[int] = Key(
    name="connections.max.reauth.ms",
    type=ConfigType.LONG,
    default=0,
    doc="The time after which a SASL client must log in again on its connection; 0 for never.",
)
SASL_SERVER_MAX_RECEIVE_SIZE: Key[int] = Key(
    name="sasl.server.max.receive.size",
    type=ConfigType.INT,
    default=524288,
    doc="The largest request that is read before the client has logged in, in bytes.",
)
CONNECTION_FAILED_AUTHENTICATION_DELAY_MS: Key[int] = Key(
    name="connection.failed.authentication.delay.ms",
    type=ConfigType.INT,
    default=100,
    valid=at_least(0),
    doc="The time after which a failed login is answered and its connection closed.",
)
SASL_SERVER_CALLBACK_HANDLER_CLASS: Key[str | None] = Key(
    name="sasl.server.callback.handler.class",
    type=ConfigType.CLASS,
    default=None,
    nullable=True,
    doc="How OAUTHBEARER checks tokens: OAuthBearerValidatorCallbackHandler accepts those that are "
    "signed with a known key, OAuthBearerUnsecuredValidatorCallbackHandler unsigned ones.",
)
SASL_LOGIN_CALLBACK_HANDLER_CLASS: Key[str | None] = Key(
    name="sasl.login.callback.handler.class",
    type=ConfigType.CLASS,
    default=None,
    nullable=True,
    doc="How this node gets the token by which it logs in with OAUTHBEARER: "
    "OAuthBearerLoginCallbackHandler reads it from a file, without it the node makes an unsigned "
    "one.",
)
TOKEN_ENDPOINT_URL: Key[str | None] = Key(
    name="sasl.oauthbearer.token.endpoint.url",
    type=ConfigType.STRING,
    default=None,
    nullable=True,
    doc="The file with the token by which this node logs in, as file:///...; each login reads it.",
)
JWKS_ENDPOINT_URL: Key[str | None] = Key(
    name="sasl.oauthbearer.jwks.endpoint.url",
    type=ConfigType.STRING,
    default=None,
    nullable=True,
    doc="The file with the keys of signed tokens, as file:///...; its changes are effective.",
)
EXPECTED_AUDIENCE: Key[tuple[str, ...]] = Key(
    name="sasl.oauthbearer.expected.audience",
    type=ConfigType.LIST,
    default=(),
    doc="Audiences of which a signed token must name at least one; without any, none.",
)
EXPECTED_ISSUER: Key[str | None] = Key(
    name="sasl.oauthbearer.expected.issuer",
    type=ConfigType.STRING,
    default=None,
    nullable=True,
    doc="The issuer that a signed token must name; without one, any.",
)
SCOPE_CLAIM_NAME: Key[str] = Key(
    name="sasl.oauthbearer.scope.claim.name",
    type=ConfigType.STRING,
    default="scope",
    doc="The claim of a signed token that has its scopes.",
)
SUB_CLAIM_NAME: Key[str] = Key(
    name="sasl.oauthbearer.sub.claim.name",
    type=ConfigType.STRING,
    default="sub",
    doc="The claim of a signed token that has the name of the client.",
)
CLOCK_SKEW_SECONDS: Key[int] = Key(
    name="sasl.oauthbearer.clock.skew.seconds",
    type=ConfigType.INT,
    default=30,
    doc="The difference that is allowed between the clocks of this node and the issuer.",
)

SASL_KEYS: tuple[Key[object], ...] = (
    SASL_ENABLED_MECHANISMS,
    SASL_JAAS_CONFIG,
    SASL_MECHANISM_INTER_BROKER_PROTOCOL,
    SASL_MECHANISM_CONTROLLER_PROTOCOL,
    CONNECTIONS_MAX_REAUTH_MS,
    SASL_SERVER_MAX_RECEIVE_SIZE,
    CONNECTION_FAILED_AUTHENTICATION_DELAY_MS,
    SASL_SERVER_CALLBACK_HANDLER_CLASS,
    SASL_LOGIN_CALLBACK_HANDLER_CLASS,
    TOKEN_ENDPOINT_URL,
    JWKS_ENDPOINT_URL,
    EXPECTED_AUDIENCE,
    EXPECTED_ISSUER,
    SCOPE_CLAIM_NAME,
    SUB_CLAIM_NAME,
    CLOCK_SKEW_SECONDS,
)
_NAMES: Final = frozenset(key.name for key in SASL_KEYS)


def sasl_key(name: str) -> str:
    """Return the key that `listener.name.<listener>.[<mechanism>.]<key>` sets, or the name."""
    if not name.startswith("listener.name."):
        return name
    _, _, rest = name[len("listener.name.") :].partition(".")
    _, _, own = rest.partition(".")
    return next((each for each in (rest, own) if each in _NAMES), name)
