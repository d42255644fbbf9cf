"""`kafka-configs.py`: describe and alter configurations of topics, brokers, groups and users.

Options, output and exit status are those of Kafka's `ConfigCommand`.
"""

import argparse
import re

from minikafka.cli._options import declare, run_tool
from minikafka.commands import configs
from minikafka.commands.config_entities import TOPICS, checked_entity
from minikafka.commands.options import Options, ToolError

_FLAGS = {
    "describe": "show configurations",
    "alter": "change a configuration",
    "all": "with --describe: also what is not set dynamically",
    "entity-default": "the default of all brokers",
    "broker-defaults": "the default of all brokers",
    "user-defaults": "not served here",
    "client-defaults": "not served here",
    "ip-defaults": "not served here",
}
_VALUED = {
    "bootstrap-server": ("HOST:PORT,...", "servers to ask first"),
    "bootstrap-controller": ("HOST:PORT,...", "not supported here"),
    "command-config": ("FILE", "properties of the client"),
    "entity-type": ("TYPE", "topics, brokers, groups or users"),
    "entity-name": ("NAME", "a topic, a broker's id, a group, or a user"),
    "topic": ("NAME", "the topic of this name"),
    "broker": ("ID", "the broker with this id"),
    "group": ("NAME", "the group of this name"),
    "client-metrics": ("NAME", "not served here"),
    "broker-logger": ("ID", "not served here"),
    "user": ("NAME", "the user of this name"),
    "client": ("NAME", "not served here"),
    "ip": ("ADDRESS", "not served here"),
    "add-config": ("K=V,K=[V,V],...", "values to set"),
    "add-config-file": ("FILE", "a properties file with values to set"),
    "delete-config": ("K,K,...", "names whose values to remove"),
}
_MAX_TOPIC_NAME = 249


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    declare(parser, _FLAGS, _VALUED)


def run(args: argparse.Namespace) -> int:
    """Do one action; return the exit status."""
    return run_tool(args, _check, configs.run, configs.print_error)


def _check(options: Options) -> None:
    entity = checked_entity(options)
    if entity.type == TOPICS and entity.name is not None:
        _check_topic_name(entity.name)
    if options.has("alter"):
        configs.check_alteration(entity, options)


def _check_topic_name(name: str) -> None:
    reason = None
    if not name:
        reason = "the empty string is not allowed"
    elif name in (".", ".."):
        reason = f"'{name}' is not allowed"
    elif len(name) > _MAX_TOPIC_NAME:
        reason = f"the length of '{name}' is longer than the max allowed length {_MAX_TOPIC_NAME}"
    elif not re.fullmatch(r"[a-zA-Z0-9._-]+", name):
        reason = (
            f"'{name}' contains one or more characters other than ASCII alphanumerics,"
            " '.', '_' and '-'"
        )
    if reason is not None:
        raise ToolError(f"Topic name is invalid: {reason}")
