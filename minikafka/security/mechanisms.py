"""The server's side of each SASL mechanism, made from its configuration."""

from collections.abc import Callable

from minikafka.config.sasl import SaslMechanism
from minikafka.config.sasl_keys import OAUTHBEARER, PLAIN
from minikafka.security.sasl import SaslServer
from minikafka.security.scram import FindCredential, ScramServer, scram_mechanism


def server_of(
    mechanism: SaslMechanism, find: FindCredential, draw: Callable[[int], bytes]
) -> SaslServer:
    """Return a new exchange of a mechanism.

    `find` looks SCRAM credentials up, `draw` returns unpredictable bytes.
    """
    options = mechanism.module.options
    if mechanism.name == PLAIN:
        from minikafka.security.plain import PlainServer, users_of  # noqa: PLC0415 - if enabled

        return PlainServer(users_of(options))
    if mechanism.name == OAUTHBEARER:
        from minikafka.security.oauthbearer import (  # noqa: PLC0415 - if enabled
            OAuthBearerServer,
            UnsecuredValidator,
        )

        return OAuthBearerServer(UnsecuredValidator(options))
    scram = scram_mechanism(mechanism.name)
    assert scram is not None, f"{mechanism.name} is checked at the start"
    return ScramServer(scram, find, draw)
