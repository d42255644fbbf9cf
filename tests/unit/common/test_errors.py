import pytest

from minikafka.common.errors import (
    ErrorCode,
    KafkaError,
    NotControllerError,
    UnknownServerError,
    error_of,
    is_retriable,
    summary_of,
)


def test_every_code_but_none_has_one_exception_that_carries_it() -> None:
    for code in ErrorCode:
        if code is not ErrorCode.NONE:
            made = error_of(code, "what happened")
            assert (made.code, made.message) == (code, "what happened")
            assert summary_of(code) == error_of(code).message != ""
    assert summary_of(ErrorCode.NONE) is None
    with pytest.raises(ValueError, match="NONE"):
        error_of(0)


def test_a_code_without_a_class_of_its_own_gets_one_class() -> None:
    assert type(error_of(ErrorCode.INVALID_RECORD)) is type(error_of(ErrorCode.INVALID_RECORD))


def test_an_unknown_code_is_an_unknown_server_error() -> None:
    assert type(error_of(9999)) is UnknownServerError
    assert not is_retriable(9999)


def test_request_limit_reached_is_retriable_and_apart_from_released_codes() -> None:
    # R4
    assert is_retriable(ErrorCode.REQUEST_LIMIT_REACHED)
    assert ErrorCode.REQUEST_LIMIT_REACHED == 10001 > 2 * ErrorCode.CONTROLLER_ID_NOT_REGISTERED


def test_retriable_is_as_in_kafka() -> None:
    assert is_retriable(NotControllerError.code)
    assert not is_retriable(ErrorCode.UNKNOWN_SERVER_ERROR)


def test_second_class_for_a_code_is_refused() -> None:
    with pytest.raises(TypeError, match="NotControllerError"):
        type("Again", (KafkaError,), {"code": ErrorCode.NOT_CONTROLLER, "summary": "x"})
