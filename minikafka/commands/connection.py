"""The connection of a command to its cluster, and the properties files that commands read."""

import sys
from collections.abc import Mapping
from pathlib import Path

from minikafka.admin.client import REQUEST_TIMEOUT_S, AdminClient
from minikafka.admin.security import ClientSecurityError, security_of
from minikafka.commands.options import Options, ToolError
from minikafka.common.whole_numbers import INT16_MAX, whole_number
from minikafka.config.definition import ConfigError
from minikafka.config.properties import parse_properties

_REACH_TIMEOUT_S = 3.0
"""Unlike Kafka (row O5), whose tools try a wrong address for 60 s."""


def connect(
    options: Options, *, default_timeout_ms: int = 60_000, timeout_ms: int | None = None
) -> AdminClient:
    """Return a client for `--bootstrap-server` or `--bootstrap-controller`.

    It is configured by `--command-config`; `timeout_ms` takes precedence over its timeout.

    Raises:
        ToolError: if the properties file cannot be used.
        AdminError: if an address is invalid.
    """
    properties = _command_config(options.value("command-config"))
    try:
        security = security_of(properties)
    except ClientSecurityError as error:
        raise ToolError(str(error)) from None
    timeout_s = _seconds(properties, "default.api.timeout.ms", default_timeout_ms)
    request_timeout_s = _seconds(properties, "request.timeout.ms", int(REQUEST_TIMEOUT_S * 1000))
    client_id = properties.get("client.id", "minikafka-admin")
    if len(client_id.encode()) > INT16_MAX:
        raise ToolError(
            f"client.id={client_id[:20]}...: is longer than {INT16_MAX} bytes, which is the limit"
        )
    controllers = options.value("bootstrap-controller")
    return AdminClient(
        controllers or options.value("bootstrap-server") or "",
        of_controllers=controllers is not None,
        client_id=client_id,
        timeout_s=timeout_s if timeout_ms is None else timeout_ms / 1000,
        request_timeout_s=request_timeout_s,
        reach_timeout_s=_REACH_TIMEOUT_S,
        on_wait=lambda what: print(what, file=sys.stderr, flush=True),
        security=security,
    )


def _seconds(properties: Mapping[str, str], key: str, default_ms: int) -> float:
    """Return a time of the properties, which are in milliseconds, in seconds."""
    try:
        return whole_number(properties.get(key, str(default_ms)), 1) / 1000
    except ValueError as error:
        raise ToolError(f"{key}={properties[key][:40]}: {error}") from None


def read_properties(path: str) -> dict[str, str]:
    """Read the entries of a properties file.

    Raises:
        ToolError: if the file cannot be read.
    """
    try:
        return parse_properties(Path(path).read_text(), path)
    except (OSError, UnicodeDecodeError) as error:
        raise ToolError(f"{path}: {error}") from None
    except ConfigError as error:
        raise ToolError(str(error)) from None


def _command_config(path: str | None) -> dict[str, str]:
    return {} if path is None else read_properties(path)
