"""The registry of APIs: decorators for handlers, and their lookup.

`@broker_api` and `@controller_api` mark handlers. `tools/write_tables.py` writes `serving/index.py`
from these marks, so that a node can answer ApiVersions and find the module of a request without
importing every API at start.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeVar

from minikafka.serving.lanes import Lane

Handler = Callable[[Any, Any], Any]
H = TypeVar("H", bound=Handler)
MakeLane = Callable[[Any, Any, memoryview], Lane | None]
"""Called with context, request and frame; returns None if such requests have no lane."""

BROKER = "broker"
CONTROLLER = "controller"


@dataclass(frozen=True, slots=True)
class Api:
    """One API on one kind of listener; `low` to `high` are the supported versions."""

    key: int
    low: int
    high: int
    handler: Handler
    role: str = BROKER
    lane: MakeLane | None = None
    """Makes the lane for requests like one; None if the API has no lanes."""


def broker_api(
    key: int, versions: tuple[int, int], lane: MakeLane | None = None
) -> Callable[[H], H]:
    """Serve an API on broker listeners."""
    return _register(BROKER, key, versions, lane)


def controller_api(key: int, versions: tuple[int, int]) -> Callable[[H], H]:
    """Serve an API on controller listeners."""
    return _register(CONTROLLER, key, versions)


def _register(
    role: str, key: int, versions: tuple[int, int], lane: MakeLane | None = None
) -> Callable[[H], H]:
    def mark(handler: H) -> H:
        assert (role, key) not in _APIS, f"API {key} has two handlers for {role}"
        _APIS[role, key] = Api(int(key), versions[0], versions[1], handler, role, lane)
        return handler

    return mark


_APIS: dict[tuple[str, int], Api] = {}


def find(role: str, key: int, modules: dict[int, tuple[str, int, int]]) -> Api | None:
    """Return the API with this key, importing its module on first use; None if not supported."""
    api = _APIS.get((role, key))
    if api is None:
        row = modules.get(key)
        if row is None:
            return None
        import_module(f"minikafka.apis.{row[0]}")
        api = _APIS[role, key]
    return api


def registered() -> dict[tuple[str, int], Api]:
    """Return the APIs of the modules that are imported so far, by role and key."""
    return dict(_APIS)
