"""A check that a cluster supports transactions, made before anything is written."""

from minikafka.admin.client import AdminClient, AdminError
from minikafka.common.errors import ErrorCode
from minikafka.harness.clients import login
from minikafka.harness.plan.settings import HarnessError
from minikafka.messages.init_producer_id import InitProducerIdRequest

_TRANSACTION_TIMEOUT_MS = 10_000
_TIMEOUT_S = 10.0


def require_transactions(bootstrap_servers: str) -> None:
    """Raise unless producers may have a transactional id.

    The broker that answers need not be the coordinator of the id: NOT_COORDINATOR also shows that
    the cluster supports transactions.

    Raises:
        HarnessError: if the cluster does not support transactions, or does not answer.
    """
    request = InitProducerIdRequest(
        transactional_id="minikafka-verify-question", transaction_timeout_ms=_TRANSACTION_TIMEOUT_MS
    )
    try:
        with AdminClient(
            bootstrap_servers,
            client_id="minikafka-verify",
            timeout_s=_TIMEOUT_S,
            security=login.for_tools(),
        ) as client:
            code = client.ask(request).error_code
    except AdminError as error:
        if error.code != ErrorCode.UNSUPPORTED_VERSION:
            raise HarnessError(
                f"transactions: cannot check if the cluster supports them: {error}"
            ) from None
        code = error.code
    if code == ErrorCode.UNSUPPORTED_VERSION:
        raise HarnessError("transactions: not supported by this cluster.")
