"""The server's side of each SASL mechanism, made from its configuration."""

from collections.abc import Callable
from functools import partial

from minikafka.config.sasl import SaslMechanism
from minikafka.config.sasl_keys import OAUTHBEARER, PLAIN
from minikafka.security.sasl import SaslServer
from minikafka.security.scram import FindCredential, ScramServer, scram_mechanism

MakeServer = Callable[[], SaslServer]


def server_maker(
    mechanism: SaslMechanism, find: FindCredential, draw: Callable[[int], bytes]
) -> MakeServer:
    """Return a function that makes a new exchange of a mechanism.

    `find` looks SCRAM credentials up, `draw` returns unpredictable bytes.
    """
    options = mechanism.module.options
    if mechanism.name == PLAIN:
        from minikafka.security.plain import PlainServer, users_of  # noqa: PLC0415 - if enabled

        return partial(PlainServer, users_of(options))
    if mechanism.name == OAUTHBEARER:
        from minikafka.security.oauthbearer import (  # noqa: PLC0415 - if enabled
            OAuthBearerServer,
            UnsecuredValidator,
        )

        return partial(OAuthBearerServer, UnsecuredValidator(options))
    scram = scram_mechanism(mechanism.name)
    assert scram is not None, f"{mechanism.name} is checked at the start"
    return partial(ScramServer, scram, find, draw)
