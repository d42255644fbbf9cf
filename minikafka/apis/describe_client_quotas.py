"""DescribeClientQuotas (key 48), v0-1.

Broker:      the quotas of users, clients and addresses that match a filter. They have no effect on
             this node (row N3): a cluster has them if an Apache Kafka has written them.
Versions:    v1 flexible.
Errors:      CLUSTER_AUTHORIZATION_FAILED; INVALID_REQUEST, UNSUPPORTED_VERSION (the filter).
"""

from collections.abc import Sequence

from minikafka.common.errors import InvalidRequestError, UnsupportedVersionError
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.describe_client_quotas import (
    ComponentData,
    DescribeClientQuotasRequest,
    DescribeClientQuotasResponse,
    EntityData,
    EntryData,
    ValueData,
)
from minikafka.metadata.client_quotas import (
    CLIENT_ID,
    ENTITY_TYPES,
    IP,
    USER,
    QuotaFilter,
    client_quotas,
)
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import require_cluster
from minikafka.serving.context import BrokerContext
from minikafka.serving.registry import broker_api

_EXACT = 0
_DEFAULT = 1
_SPECIFIED = 2
_WITHOUT_NAME = {_DEFAULT: "MATCH_TYPE_DEFAULT", _SPECIFIED: "MATCH_TYPE_SPECIFIED"}


@broker_api(ApiKey.DESCRIBE_CLIENT_QUOTAS, versions=(0, 1))
def describe(
    ctx: BrokerContext, request: DescribeClientQuotasRequest
) -> DescribeClientQuotasResponse:
    """Describe the quotas that this broker knows."""
    require_cluster(ctx, AclOperation.DESCRIBE_CONFIGS)
    wanted = _filter(request.components, is_strict=request.strict)
    return DescribeClientQuotasResponse(
        entries=[
            EntryData(
                # A certain order, which Kafka does not have.
                [EntityData(*part) for part in sorted(entity, key=lambda part: part[0])],
                [ValueData(*quota) for quota in quotas.items()],
            )
            for entity, quotas in client_quotas(ctx.broker.image, wanted)
        ]
    )


def _filter(components: Sequence[ComponentData], *, is_strict: bool) -> QuotaFilter:
    """Return the filter of a request.

    Raises:
        InvalidRequestError, UnsupportedVersionError: it is contradictory, or of unknown types.
    """
    named: dict[str, str | None] = {}
    types: set[str] = set()
    for each in components:
        _check_type(each.entity_type, {*named, *types})
        if each.match_type == _EXACT:
            if each.match is None:
                raise InvalidRequestError(
                    "Request specified MATCH_TYPE_EXACT, but set match string to null."
                )
            named[each.entity_type] = each.match
        elif each.match_type not in _WITHOUT_NAME:
            raise InvalidRequestError(f"Unknown match type {each.match_type}")
        elif each.match is not None:
            raise InvalidRequestError(
                f"Request specified {_WITHOUT_NAME[each.match_type]}, but also specified a match "
                "string."
            )
        elif each.match_type == _DEFAULT:
            named[each.entity_type] = None
        else:
            types.add(each.entity_type)
    asked = {*named, *types}
    if IP in asked and asked & {USER, CLIENT_ID}:
        raise InvalidRequestError(
            "Invalid entity filter component combination. IP filter component should not be used "
            "with user or clientId filter component."
        )
    return QuotaFilter(named, frozenset(types), is_strict)


def _check_type(entity_type: str, before: set[str]) -> None:
    if not entity_type:
        raise InvalidRequestError("Invalid empty entity type.")
    if entity_type in before:
        raise InvalidRequestError(
            f"Entity type {entity_type} cannot appear more than once in the filter."
        )
    if entity_type not in ENTITY_TYPES:
        raise UnsupportedVersionError(f"Unsupported entity type {entity_type}")
