"""Whether a cluster has transactions: asked before anything is written."""

from minikafka.admin.client import AdminClient, AdminError
from minikafka.common.errors import ErrorCode
from minikafka.harness.plan.settings import HarnessError
from minikafka.messages.init_producer_id import InitProducerIdRequest

_TRANSACTION_TIMEOUT_MS = 10_000
_TIMEOUT_S = 10.0


def require_transactions(bootstrap_servers: str) -> None:
    """Nothing, where producers may have a transactional id.

    Whoever is asked need not be the coordinator of that id: an answer that says so is a yes.

    Raises:
        HarnessError: if the cluster has no transactions, or does not answer.
    """
    request = InitProducerIdRequest(
        transactional_id="minikafka-verify-question", transaction_timeout_ms=_TRANSACTION_TIMEOUT_MS
    )
    try:
        with AdminClient(
            bootstrap_servers, client_id="minikafka-verify", timeout_s=_TIMEOUT_S
        ) as client:
            code = client.ask(request).error_code
    except AdminError as error:
        if error.code != ErrorCode.UNSUPPORTED_VERSION:
            raise HarnessError(
                f"transactions: nobody says whether there are any: {error}"
            ) from None
        code = error.code
    if code == ErrorCode.UNSUPPORTED_VERSION:
        raise HarnessError("transactions: unsupported by this cluster.")
