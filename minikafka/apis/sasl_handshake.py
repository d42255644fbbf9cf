"""SaslHandshake (key 17), v0-1.

Both:        begins another login of a client whose session is limited (KIP-368), at most once a
             second. Before the first login `node/logins.py` answers.
Versions:    v1 tokens come in SaslAuthenticate requests.
Errors:      ILLEGAL_SASL_STATE: the listener has no SASL, or the session does not end.
"""

from minikafka.common.errors import ErrorCode
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.sasl_handshake import SaslHandshakeRequest, SaslHandshakeResponse
from minikafka.serving.context import BrokerContext, ControllerContext, NodeServices
from minikafka.serving.registry import broker_api, controller_api

_VERSIONS = (0, 1)


@broker_api(ApiKey.SASL_HANDSHAKE, versions=_VERSIONS)
def sasl_handshake(
    ctx: BrokerContext, request: SaslHandshakeRequest
) -> SaslHandshakeResponse | None:
    """Begin another login on the connection; None if it has failed and is answered later."""
    return _repeated(ctx.broker, request, ctx.version)


@controller_api(ApiKey.SASL_HANDSHAKE, versions=_VERSIONS)
def sasl_handshake_on_controller(
    ctx: ControllerContext, request: SaslHandshakeRequest
) -> SaslHandshakeResponse | None:
    """Begin another login on the connection; None if it has failed and is answered later."""
    return _repeated(ctx.services, request, ctx.version)


def _repeated(
    services: NodeServices, request: SaslHandshakeRequest, version: int
) -> SaslHandshakeResponse | None:
    connection = services.env.client
    if services.logins is None or not isinstance(connection, int):
        return SaslHandshakeResponse(ErrorCode.ILLEGAL_SASL_STATE)
    return services.logins.repeat(connection, request, version)
