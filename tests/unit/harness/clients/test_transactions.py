from types import SimpleNamespace

import pytest

from minikafka.admin.client import AdminClient, AdminError
from minikafka.common.errors import ErrorCode
from minikafka.harness.clients.transactions import require_transactions
from minikafka.harness.plan.settings import HarnessError


@pytest.fixture
def answer(monkeypatch):
    """The cluster's response to a client that asks for a transactional producer."""

    def say(value):
        def ask(_, request):
            assert request.transactional_id
            if isinstance(value, Exception):
                raise value
            return SimpleNamespace(error_code=value)

        monkeypatch.setattr(AdminClient, "ask", ask)

    return say


@pytest.mark.parametrize(
    "code", [ErrorCode.NONE, ErrorCode.NOT_COORDINATOR, ErrorCode.COORDINATOR_NOT_AVAILABLE]
)
def test_a_cluster_with_transactions_is_accepted(answer, code):
    answer(code)
    require_transactions("h:1")


@pytest.mark.parametrize(
    "value",
    [
        ErrorCode.UNSUPPORTED_VERSION,
        AdminError("no such request", ErrorCode.UNSUPPORTED_VERSION),
    ],
)
def test_a_cluster_without_transactions_is_one_sentence(answer, value):
    """S1."""
    answer(value)
    with pytest.raises(HarnessError, match=r"^transactions: not supported by this cluster\.$"):
        require_transactions("h:1")


def test_a_cluster_that_does_not_answer_is_reported(answer):
    answer(AdminError("no answer from h:1"))
    with pytest.raises(
        HarnessError, match="cannot check if the cluster supports them: no answer from h:1"
    ):
        require_transactions("h:1")
