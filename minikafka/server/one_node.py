"""The node or nodes of this process: from properties files to the exit status."""

import gc
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from minikafka.config.definition import ConfigError
from minikafka.config.node_config import ConfigErrors, NodeConfig, node_config
from minikafka.config.properties import parse_properties
from minikafka.server.launch import end_with_owner

_log = logging.getLogger("minikafka")


def read_config(
    file: str, overrides: Sequence[str] = (), *, with_logins: bool = True
) -> NodeConfig:
    """Return the configuration that a file and overrides describe; see `node_config`.

    Raises:
        ConfigError: with one line for each problem.
    """
    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise ConfigError(f"{file}: cannot be read: {reason}") from None
    given = parse_properties(text, file)
    for override in overrides:
        key, separator, value = override.partition("=")
        if not separator or not key:
            raise ConfigError(f"--override {override!r}: expected KEY=VALUE")
        given[key.strip()] = value
    return node_config(given, with_logins=with_logins)


def run_node(
    *files: str,
    overrides: Sequence[str] = (),
    ready_fd: int | None = None,
    lifeline_fds: Sequence[int] = (),
) -> int:
    """Run the node of each properties file until all have stopped; return the exit status.

    `ready_fd` gets a line when every node serves. The process is killed when the other end of a
    pipe in `lifeline_fds` is closed.
    """
    if not __debug__:
        return _refuse("python -O disables checks that the broker relies on; run without it")
    if lifeline_fds:
        end_with_owner(*lifeline_fds)
    try:
        configs = [read_config(file, overrides) for file in files]
    except ConfigErrors as error:
        return _refuse(*error.errors)
    except ConfigError as error:
        return _refuse(str(error))
    # Here and below: tools that only read a configuration import neither.
    from minikafka.server.log_lines import set_up_logging  # noqa: PLC0415

    # Lines of several nodes cannot be told apart.
    name = f" [node {configs[0].node_id}]" if len(configs) == 1 else ""
    set_up_logging(f"%(asctime)s %(levelname)s{name} %(name)s: %(message)s")
    for ignored in dict.fromkeys(config.ignored for config in configs if config.ignored):
        _log.info("ignored, without meaning here: %s", ", ".join(ignored))
    starting = {config.node_id for config in configs}

    def started(config: NodeConfig) -> None:
        _log.info("node %d serves", config.node_id)
        starting.discard(config.node_id)
        if ready_fd is not None and not starting:
            os.write(ready_fd, b"ready\n")
            os.close(ready_fd)

    # Imported objects live forever; `server/process.py` enables the collector when the node runs.
    gc.disable()
    from minikafka.server.process import StartError, run_nodes  # noqa: PLC0415

    try:
        return run_nodes(configs, started)
    except StartError as error:
        _log.critical("%s", error)
        return 1
    finally:
        gc.enable()


def _refuse(*lines: str) -> int:
    sys.stderr.writelines(f"{line}\n" for line in lines)
    return 2
