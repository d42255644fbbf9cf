"""The loggers of this process as configuration resource BROKER_LOGGER (KIP-412).

A logger without a level has that of its parent. Levels have Kafka's names; TRACE is below Python's
lowest. The levels belong to the process: they are not stored, and a start forgets them.

Source: `ConfigAdminManager.validateLogLevelConfigs`, `LoggingController`.
"""

import logging
from typing import Final

from minikafka.common.errors import InvalidConfigError, InvalidRequestError
from minikafka.messages.incremental_alter_configs import AlterableConfig

ROOT: Final = "root"
_OURS: Final = "minikafka"
_TRACE: Final = 5
_LEVELS: Final = {
    "FATAL": logging.CRITICAL,
    "ERROR": logging.ERROR,
    "WARN": logging.WARNING,
    "INFO": logging.INFO,
    "DEBUG": logging.DEBUG,
    "TRACE": _TRACE,
}
_SET: Final = 0
_DELETE: Final = 1
_OPERATIONS: Final = {2: "APPEND", 3: "SUBTRACT"}


def level_names() -> dict[str, str]:
    """Return the effective level of each logger, by its name."""
    found = {ROOT: _level_name(logging.getLogger())}
    for name, logger in sorted(logging.Logger.manager.loggerDict.items()):
        if isinstance(logger, logging.Logger) and name.partition(".")[0] == _OURS:
            found[name] = _level_name(logger)
    return found


def alter_levels(
    resource_name: str, node_id: int, rows: list[AlterableConfig], *, dry: bool
) -> None:
    """Check all rows, and then set the levels unless `dry`.

    Raises:
        InvalidConfigError: a logger or a level does not exist.
        InvalidRequestError: another broker, a repeated logger, an operation that is not allowed.
    """
    _check_node(resource_name, node_id)
    names = [row.name for row in rows]
    if len(dict.fromkeys(names)) < len(names):
        raise InvalidRequestError("Error due to duplicate config keys")
    for row in rows:
        _check(row)
    if dry:
        return
    for row in rows:
        logger = logging.getLogger(None if row.name == ROOT else row.name)
        level = _LEVELS[row.value or ""] if row.config_operation == _SET else logging.NOTSET
        logger.setLevel(level)


def _check_node(resource_name: str, node_id: int) -> None:
    if not (resource_name.isascii() and resource_name.isdigit()):
        raise InvalidRequestError(f"Node id must be an integer, but it is: {resource_name}")
    if int(resource_name) != node_id:
        raise InvalidRequestError(
            f"Unexpected node id. Expected {node_id}, but received {resource_name}"
        )


def _check(row: AlterableConfig) -> None:
    operation = row.config_operation
    if operation in _OPERATIONS:
        raise InvalidRequestError(
            f"{_OPERATIONS[operation]} operation is not allowed for the BROKER_LOGGER resource"
        )
    if operation not in (_SET, _DELETE):
        # Unlike Kafka (row W2).
        raise InvalidRequestError(f"Unknown operations type {operation}")
    if operation == _SET and row.value is None:
        raise InvalidRequestError(f"Null value not supported for : {row.name}")
    if row.name not in level_names():
        raise InvalidConfigError(f"Logger {row.name} does not exist!")
    if operation == _DELETE:
        if row.name == ROOT:
            raise InvalidRequestError("Removing the log level of the root logger is not allowed")
    elif row.value not in _LEVELS:
        raise InvalidConfigError(
            f"Cannot set the log level of {row.name} to {row.value} as it is not a supported log "
            f"level. Valid log levels are {', '.join(sorted(_LEVELS))}"
        )


def _level_name(logger: logging.Logger) -> str:
    level = logger.getEffectiveLevel()
    return next((name for name, least in _LEVELS.items() if level >= least), "TRACE")
