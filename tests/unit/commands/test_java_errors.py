"""Errors of a cluster as Kafka's tools print them."""

import pytest

from minikafka.admin.client import AdminError, check
from minikafka.commands.java_errors import exception_text, future_text, kafka_message
from minikafka.common.errors import ErrorCode


def error_of(code, message=None):
    with pytest.raises(AdminError) as raised:
        check(code, message)
    return raised.value


@pytest.mark.parametrize(
    ("code", "message", "text"),
    [
        (ErrorCode.NOT_COORDINATOR, None,
         "NotCoordinatorException: This is not the correct coordinator."),
        (ErrorCode.GROUP_ID_NOT_FOUND, "Group g not found.",
         "GroupIdNotFoundException: Group g not found."),
        (ErrorCode.NON_EMPTY_GROUP, None, "GroupNotEmptyException: The group is not empty."),
        (ErrorCode.REQUEST_TIMED_OUT, "slow", "TimeoutException: slow"),
        (30_000, "new", "UnknownServerException: new"),
    ],
)  # fmt: skip
def test_an_error_is_printed_like_an_exception(code, message, text):
    name = f"org.apache.kafka.common.errors.{text}"
    assert exception_text(error_of(code, message)) == name
    assert future_text(error_of(code, message)) == (
        f"java.util.concurrent.ExecutionException: {name}"
    )


def test_a_code_that_no_version_knows_has_a_text():
    assert kafka_message(30_000) == kafka_message(ErrorCode.UNKNOWN_SERVER_ERROR)
    assert exception_text(error_of(30_000)) == exception_text(
        error_of(ErrorCode.UNKNOWN_SERVER_ERROR)
    )
