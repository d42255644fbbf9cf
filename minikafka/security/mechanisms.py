"""The server's side of each SASL mechanism, made from its configuration."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from minikafka.config.sasl import SaslMechanism
from minikafka.config.sasl_keys import OAUTHBEARER, PLAIN
from minikafka.security.sasl import SaslServer
from minikafka.security.scram import FindCredential, FindToken, ScramServer, scram_mechanism

if TYPE_CHECKING:
    from minikafka.security.key_set import KeySet
    from minikafka.security.oauthbearer import TokenValidator

MakeServer = Callable[[], SaslServer]


def server_maker(
    mechanism: SaslMechanism,
    find: FindCredential,
    draw: Callable[[int], bytes],
    key_sets: "Mapping[str, KeySet]",
    find_token: FindToken,
) -> MakeServer:
    """Return a function that makes a new exchange of a mechanism.

    `find` looks SCRAM credentials up, `find_token` those of delegation tokens, and `draw` returns
    unpredictable bytes. `key_sets` has the keys of signed tokens that are valid now, by file.
    """
    options = mechanism.module.options
    if mechanism.name == PLAIN:
        from minikafka.security.plain import PlainServer, users_of  # noqa: PLC0415 - if enabled

        return partial(PlainServer, users_of(options))
    if mechanism.name == OAUTHBEARER:
        from minikafka.security.oauthbearer import OAuthBearerServer  # noqa: PLC0415 - if enabled

        return partial(OAuthBearerServer, _validator(mechanism, key_sets))
    scram = scram_mechanism(mechanism.name)
    assert scram is not None, f"{mechanism.name} is checked at the start"
    return partial(ScramServer, scram, find, draw, find_token)


def _validator(mechanism: SaslMechanism, key_sets: "Mapping[str, KeySet]") -> "TokenValidator":
    signed = mechanism.signed_tokens
    if signed is None:
        from minikafka.security.oauthbearer import UnsecuredValidator  # noqa: PLC0415 - if enabled

        return UnsecuredValidator(mechanism.module.options)
    # It needs the extra `security`.
    from minikafka.security.signed_token import SignedTokenValidator  # noqa: PLC0415

    return SignedTokenValidator(signed, lambda: key_sets[signed.key_file])
