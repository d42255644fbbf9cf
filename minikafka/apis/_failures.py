"""The response that says a whole request failed.

Most responses have an error code of their own at the top. Of the others, each topic, group or
resource of the request is answered with the error, so that every client finds it where it looks.

Source: `AbstractRequest.getErrorResponse` of each request.
"""

from collections.abc import Callable
from typing import Any

from minikafka.apis._steps import CLOSE
from minikafka.common.errors import KafkaError
from minikafka.messages.api_keys import response_class


def failure_response(request: Any, version: int, error: KafkaError) -> Any:
    """The response to `request` in which everything failed with `error`.

    Returns CLOSE where the response has no place for it.
    """
    response = response_class(request.API_KEY)()
    special = _SPECIAL.get(type(request).__name__)
    if special is not None:
        special(response, request, error, version)
        return response
    if not hasattr(response, "error_code"):
        return CLOSE
    response.error_code = int(error.code)
    if hasattr(response, "error_message"):
        response.error_message = str(error)
    return response


def _per_topic(response: Any, request: Any, error: KafkaError, _: int) -> None:
    """Responses that mirror the request: a list of topics with partitions."""
    del response, request, error


_SPECIAL: dict[str, Callable[[Any, Any, KafkaError, int], None]] = {}
