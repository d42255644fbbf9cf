"""ExpireDelegationToken (key 40), v1-2.

Broker:      checks the client, and forwards to the active controller.
Controller:  lets a token expire at another time, or removes it.
Errors:      DELEGATION_TOKEN_REQUEST_NOT_ALLOWED, DELEGATION_TOKEN_AUTH_DISABLED,
             DELEGATION_TOKEN_NOT_FOUND, DELEGATION_TOKEN_EXPIRED,
             DELEGATION_TOKEN_OWNER_MISMATCH, UNSUPPORTED_VERSION.
"""

from minikafka.apis._token_changes import token_change
from minikafka.controller.delegation_token_control import expire_token
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.expire_delegation_token import ExpireDelegationTokenResponse

token_change(ApiKey.EXPIRE_DELEGATION_TOKEN, expire_token, ExpireDelegationTokenResponse)
