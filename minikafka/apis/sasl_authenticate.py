"""SaslAuthenticate (key 36), v0-2.

Both:        ILLEGAL_SASL_STATE: during a login `node/logins.py` answers.
Versions:    v1 session lifetime; v2 flexible.
Errors:      ILLEGAL_SASL_STATE.
"""

from minikafka.common.errors import ErrorCode
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.sasl_authenticate import SaslAuthenticateRequest, SaslAuthenticateResponse
from minikafka.serving.context import RequestContext
from minikafka.serving.registry import broker_api, controller_api

_VERSIONS = (0, 2)


@controller_api(ApiKey.SASL_AUTHENTICATE, versions=_VERSIONS)
@broker_api(ApiKey.SASL_AUTHENTICATE, versions=_VERSIONS)
def sasl_authenticate(
    _: RequestContext, request: SaslAuthenticateRequest
) -> SaslAuthenticateResponse:
    """Answer that no login has begun."""
    del request
    return SaslAuthenticateResponse(
        error_code=ErrorCode.ILLEGAL_SASL_STATE,
        error_message="SaslAuthenticate request received after successful authentication",
    )
