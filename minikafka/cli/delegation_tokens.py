"""`kafka-delegation-tokens.py`: create, renew, expire and describe delegation tokens.

Options, output and exit status are those of Kafka's `DelegationTokenCommand`.
"""

import argparse
import sys

from minikafka.cli._options import declare, run_tool
from minikafka.commands import delegation_tokens
from minikafka.commands.options import Options, UsageError

_FLAGS = {
    "create": "make a token",
    "renew": "let a token expire later",
    "expire": "let a token expire at another time, or remove it",
    "describe": "show tokens",
}
_VALUED = {
    "bootstrap-server": ("HOST:PORT,...", "servers to ask first"),
    "command-config": ("FILE", "properties of the client"),
    "owner-principal": ("TYPE:NAME", "the owner of the token, or of those to describe"),
    "renewer-principal": ("TYPE:NAME", "with --create: who may renew the token; several each"),
    "max-life-time-period": ("MS", "with --create: the longest life; -1 for the default"),
    "renew-time-period": ("MS", "with --renew: the time until it expires; -1 for the default"),
    "expiry-time-period": ("MS", "with --expire: the time until it expires; -1 for now"),
    "hmac": ("HMAC", "with --renew, --expire: the token"),
}
_REQUIRED = {
    "create": ("max-life-time-period",),
    "renew": ("hmac", "renew-time-period"),
    "expire": ("hmac", "expiry-time-period"),
}
_REFUSED = {
    "create": ("hmac", "renew-time-period", "expiry-time-period"),
    "renew": ("renewer-principal", "max-life-time-period", "expiry-time-period", "owner-principal"),
    "expire": ("renew", "max-life-time-period", "renew-time-period", "owner-principal"),
    "describe": ("renew-time-period", "max-life-time-period", "hmac", "expiry-time-period"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    declare(parser, _FLAGS, _VALUED)


def run(args: argparse.Namespace) -> int:
    """Do one action; return the exit status."""
    return run_tool(args, _check, delegation_tokens.change_or_describe, _print_failure)


def _print_failure(text: str) -> None:
    print(text, file=sys.stderr)


def _check(options: Options) -> None:
    """Raise a UsageError if options conflict."""
    if sum(options.has(action) for action in _FLAGS) != 1:
        raise UsageError(
            "Command must include exactly one action: --create, --renew, --expire or --describe"
        )
    options.require("bootstrap-server")
    options.require("command-config")
    for action, names in _REQUIRED.items():
        for name in names if options.has(action) else ():
            options.require(name)
    for action, names in _REFUSED.items():
        options.refuse(action, names)
