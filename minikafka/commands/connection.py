"""The connection of a command to its cluster, and the properties files that commands read."""

import sys
from pathlib import Path

from minikafka.admin.client import AdminClient
from minikafka.commands.options import Options, ToolError
from minikafka.config.definition import ConfigError
from minikafka.config.properties import parse_properties


def connect(options: Options, *, default_timeout_ms: int = 60_000) -> AdminClient:
    """Return a client for `--bootstrap-server` or `--bootstrap-controller`.

    It is configured by `--command-config`.

    Raises:
        ToolError: if the properties file cannot be used.
        AdminError: if an address is invalid.
    """
    properties = _command_config(options.value("command-config"))
    protocol = properties.get("security.protocol", "PLAINTEXT")
    if protocol.upper() != "PLAINTEXT":
        raise ToolError(f"security.protocol={protocol}: only PLAINTEXT is supported")
    timeout_ms = properties.get("default.api.timeout.ms", str(default_timeout_ms))
    if not timeout_ms.isdigit() or int(timeout_ms) == 0:
        raise ToolError(f"default.api.timeout.ms={timeout_ms}: must be a number above 0")
    controllers = options.value("bootstrap-controller")
    return AdminClient(
        controllers or options.value("bootstrap-server") or "",
        of_controllers=controllers is not None,
        client_id=properties.get("client.id", "minikafka-admin"),
        timeout_s=int(timeout_ms) / 1000,
        on_wait=lambda what: print(what, file=sys.stderr, flush=True),
    )


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
