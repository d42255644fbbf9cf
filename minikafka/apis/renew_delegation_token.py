"""RenewDelegationToken (key 39), v1-2.

Broker:      checks the client, and forwards to the active controller.
Controller:  lets a token expire later.
Errors:      DELEGATION_TOKEN_REQUEST_NOT_ALLOWED, DELEGATION_TOKEN_AUTH_DISABLED,
             DELEGATION_TOKEN_NOT_FOUND, DELEGATION_TOKEN_EXPIRED,
             DELEGATION_TOKEN_OWNER_MISMATCH, UNSUPPORTED_VERSION.
"""

from minikafka.apis._token_changes import token_change
from minikafka.controller.delegation_token_control import renew_token
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.renew_delegation_token import RenewDelegationTokenResponse

token_change(ApiKey.RENEW_DELEGATION_TOKEN, renew_token, RenewDelegationTokenResponse)
