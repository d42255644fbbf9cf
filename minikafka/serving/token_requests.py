"""The clients that may send requests about delegation tokens.

Source: `KafkaApis.allowTokenRequests`.
"""

from typing import Final

from minikafka.common.principal import ANONYMOUS
from minikafka.config.listener_security import SecurityProtocol
from minikafka.config.node_config import NodeConfig
from minikafka.serving.context import RequestContext

REQUESTER_FROM: Final = 3
"""The version of CreateDelegationToken and DescribeDelegationToken that has the requester."""


def allows_token_requests(ctx: RequestContext, config: NodeConfig) -> bool:
    """True if the client has proved who it is, and not by a token.

    As Kafka, a forwarded request has the security of the controller's listener.
    """
    protocol = config.security_protocols[ctx.listener]
    is_unknown = protocol is SecurityProtocol.PLAINTEXT or (
        protocol is SecurityProtocol.SSL and ctx.principal == ANONYMOUS
    )
    return not is_unknown and not ctx.principal.token_authenticated
