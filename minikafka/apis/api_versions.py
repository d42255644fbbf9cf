"""ApiVersions (key 18), v0-4.

Both:        the APIs of this listener with their versions, and the cluster's features. APIs that
             released Kafka does not have are listed for nodes only, which name themselves.
Versions:    v3 flexible, client software (KIP-511), features (KIP-584); v4 features
             whose lowest level is 0.
             An unsupported version is answered in version 0 with UNSUPPORTED_VERSION.
Errors:      UNSUPPORTED_VERSION, INVALID_REQUEST (a client name or version with characters that
             KIP-511 does not allow).
"""

from minikafka.common.errors import ErrorCode
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.api_versions import (
    ApiVersion,
    ApiVersionsRequest,
    ApiVersionsResponse,
    FinalizedFeatureKey,
    SupportedFeatureKey,
)
from minikafka.metadata.features import KRAFT_VERSION, SUPPORTED_FEATURES
from minikafka.rpc.client_connection import NODE_SOFTWARE_NAME
from minikafka.rpc.controller_channel import ServedVersions
from minikafka.serving.context import BrokerContext, NodeServices, RequestContext
from minikafka.serving.index import MODULES
from minikafka.serving.registry import BROKER, CONTROLLER, broker_api, controller_api
from minikafka.serving.steps import FOREVER_MS, Steps, wait_until

_FEATURES_FROM = 3
_BETWEEN_NODES = frozenset((ApiKey.GET_REPLICA_LOG_INFO,))
# Brokers answer these themselves.
_NOT_FORWARDED = frozenset(
    (
        ApiKey.API_VERSIONS,
        ApiKey.DESCRIBE_ACLS,
        ApiKey.DESCRIBE_CLUSTER,
        ApiKey.DESCRIBE_CONFIGS,
        ApiKey.FETCH,
    )
)
Rows = dict[int, tuple[str, int, int]]
"""The module, the lowest and the highest version, by API key."""
_ZERO_MINIMUM_FROM = 4


@broker_api(ApiKey.API_VERSIONS, versions=(0, 4))
def broker_versions(
    ctx: BrokerContext, request: ApiVersionsRequest | None
) -> ApiVersionsResponse | Steps[ApiVersionsResponse]:
    """Return the APIs of a broker listener: forwarded ones in the active controller's versions."""
    served = ctx.broker.forwarding.controller.served
    if request is not None and served.known is None and not ctx.broker.raft.is_leader:
        served.ask()
        if served.is_asking:
            return _await_controller(ctx, request, served)
    return _versions(ctx, request, _of_both(ctx), ctx.broker)


def _await_controller(
    ctx: BrokerContext, request: ApiVersionsRequest, served: ServedVersions
) -> Steps[ApiVersionsResponse]:
    yield from wait_until(
        [served.changed], lambda: not served.is_asking, FOREVER_MS, for_answer_only=True
    )
    return _versions(ctx, request, _of_both(ctx), ctx.broker)


def _of_both(ctx: BrokerContext) -> Rows:
    """Intersect the versions of forwarded APIs with those of the active controller, if known."""
    rows = MODULES[BROKER]
    ranges = None
    if not ctx.broker.raft.is_leader:
        ranges = ctx.broker.forwarding.controller.served.known
    if ranges is None:
        return rows
    found: Rows = {}
    for key, (module, low, high) in rows.items():
        least, most = low, high
        if key in MODULES[CONTROLLER] and key not in _NOT_FORWARDED:
            served_low, served_high = ranges.get(key, (0, -1))
            least, most = max(low, served_low), min(high, served_high)
        if least <= most:
            found[key] = (module, least, most)
    return found


@controller_api(ApiKey.API_VERSIONS, versions=(0, 4))
def controller_versions(
    ctx: RequestContext, request: ApiVersionsRequest | None
) -> ApiVersionsResponse:
    """Return the APIs of a controller listener."""
    return _versions(ctx, request, MODULES[CONTROLLER], ctx.services)  # type: ignore[attr-defined]


def _versions(
    ctx: RequestContext, request: ApiVersionsRequest | None, rows: Rows, services: NodeServices
) -> ApiVersionsResponse:
    if request is None:
        low, high = rows[ApiKey.API_VERSIONS][1:]
        return ApiVersionsResponse(
            error_code=ErrorCode.UNSUPPORTED_VERSION,
            api_keys=[ApiVersion(ApiKey.API_VERSIONS, low, high)],
        )
    if ctx.version >= _FEATURES_FROM and not _is_valid_client(request):
        return ApiVersionsResponse(error_code=ErrorCode.INVALID_REQUEST)
    rows = _visible(ctx, rows, request)
    image = services.image
    finalized = dict(image.features)
    if services.raft.kraft_version > 0:
        finalized[KRAFT_VERSION] = services.raft.kraft_version
    return ApiVersionsResponse(
        api_keys=[
            # As Kafka: Produce is listed with minimum version 0, since old librdkafka disables
            # compression otherwise; versions below 3 are still rejected
            # (`ApiKeys.PRODUCE_API_VERSIONS_RESPONSE_MIN_VERSION`).
            ApiVersion(key, 0 if key == ApiKey.PRODUCE else low, high)
            for key, (_, low, high) in rows.items()
        ],
        supported_features=[
            SupportedFeatureKey(name, levels.minimum, levels.maximum)
            for name, levels in SUPPORTED_FEATURES.items()
            if levels.minimum > 0 or ctx.version >= _ZERO_MINIMUM_FROM
        ],
        finalized_features_epoch=image.offset,
        finalized_features=[
            FinalizedFeatureKey(name, level, level) for name, level in finalized.items()
        ],
    )


def _visible(ctx: RequestContext, rows: Rows, request: ApiVersionsRequest) -> Rows:
    """Leave out the APIs between nodes, unless a node asks: clients do not know their keys."""
    if request.client_software_name == NODE_SOFTWARE_NAME and getattr(ctx, "may_be_broker", True):
        return rows
    return {key: row for key, row in rows.items() if key not in _BETWEEN_NODES}


def _is_valid_client(request: ApiVersionsRequest) -> bool:
    return _is_plain(request.client_software_name) and _is_plain(request.client_software_version)


def _is_plain(text: str) -> bool:
    """KIP-511: letters, digits, dots and dashes, without a dot or dash at the start or end."""
    inner = text.replace("-", "").replace(".", "")
    return inner.isascii() and inner.isalnum() and text[0] not in "-." and text[-1] not in "-."
