"""`kafka-consumer-groups.py`: list, describe and delete groups of consumers, reset their offsets.

Options, output and exit status are those of Kafka's `ConsumerGroupCommand`: an error of the cluster
is printed on standard output, and the exit status is 0.
"""

import argparse
import sys

from minikafka.admin.client import AdminClient, AdminError
from minikafka.cli._options import declare
from minikafka.commands import consumer_groups
from minikafka.commands.connection import connect
from minikafka.commands.java_errors import exception_text
from minikafka.commands.offset_resets import SCENARIOS, OffsetReset, reset_offsets
from minikafka.commands.options import FAILED, Options, ToolError, UsageError
from minikafka.commands.regex_check import print_regex_check
from minikafka.common.whole_numbers import INT64_MAX, INT64_MIN, whole_number

_FLAGS = {
    "list": "list the groups",
    "describe": "print committed offsets, log ends and lags of groups",
    "delete": "delete groups without members, with their offsets",
    "reset-offsets": "change the offsets of groups without members; with one of the options --to-*,"
    " --by-duration, --shift-by, --from-file",
    "delete-offsets": "delete the offsets of one group for --topic",
    "all-groups": "all groups in place of --group",
    "all-topics": "with --reset-offsets: all partitions with committed offsets",
    "members": "with --describe: the members",
    "offsets": "with --describe: the offsets, which is the default",
    "verbose": "with --describe: more columns",
    "dry-run": "with --reset-offsets: only print the new offsets, which is the default",
    "execute": "with --reset-offsets: commit the new offsets",
    "export": "with --reset-offsets: print the new offsets as CSV",
    "to-earliest": "the starts of the logs",
    "to-latest": "the ends of the logs",
    "to-current": "the committed offsets; the ends of logs without one",
}
_VALUED = {
    "bootstrap-server": ("HOST:PORT,...", "servers to ask first"),
    "command-config": ("FILE", "properties of the client"),
    "group": ("NAME", "the group; --describe, --delete and --reset-offsets take several"),
    "topic": ("NAME[:0,1]", "a topic, or some of its partitions; several"),
    "timeout": ("MS", "how long an operation may take (30000)"),
    "to-offset": ("OFFSET", "this offset"),
    "shift-by": ("N", "the committed offset plus N"),
    "to-datetime": ("TIME", "the first record since then: YYYY-MM-DDThh:mm:ss.sss"),
    "by-duration": ("DURATION", "the first record since this long ago: PnDTnHnMnS"),
    "from-file": ("FILE", "CSV as --export prints it"),
    "validate-regex": ("REGEX", "say if a pattern is valid for subscriptions; needs no server"),
}
_OPTIONAL = {
    "state": (
        "STATE,...",
        "with --list: with states, or only groups in these; with --describe: the state",
    ),
    "type": ("TYPE,...", "with --list: with types, or only groups of these: classic, consumer"),
}
_ACTIONS = ("list", "describe", "delete", "reset-offsets", "delete-offsets", "validate-regex")
_AVAILABLE_WITH = {
    "members": ("describe",),
    "verbose": ("describe",),
    "offsets": ("describe",),
    "state": ("describe", "list"),
    "type": ("list",),
}
_STATES = (
    "PreparingRebalance", "CompletingRebalance", "Stable", "Dead", "Empty", "Assigning",
    "Reconciling",
)  # fmt: skip
_TYPES = ("Classic", "Consumer")
_DEFAULT_TIMEOUT_MS = 30_000
_ONE_SCOPE = "[group], [all-groups]"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    for name, (metavar, text) in _OPTIONAL.items():
        parser.add_argument(
            f"--{name}", dest=name, action="append", nargs="?", const="", metavar=metavar, help=text
        )
    declare(parser, _FLAGS, _VALUED)


def run(args: argparse.Namespace) -> int:
    """Do one action; return the exit status."""
    options = Options(vars(args))
    try:
        _check(options)
        if options.has("validate-regex"):
            print_regex_check(options.value("validate-regex") or "")
            return 0
    except UsageError as error:
        print(error, "Try --help.", sep="\n", file=sys.stderr)
        return FAILED
    except ToolError as error:
        print(error, file=sys.stderr)
        return FAILED
    return _run(options)


def _run(options: Options) -> int:
    try:
        timeout_ms = _whole(options, "timeout")
        reset = OffsetReset(
            options, _whole(options, "to-offset", is_first=True), _whole(options, "shift-by")
        )
        limit_ms = _DEFAULT_TIMEOUT_MS if timeout_ms is None else timeout_ms
        with connect(options, timeout_ms=max(limit_ms, 0)) as client:
            _act(options, client, reset)
    except UsageError as error:
        print(error, "Try --help.", sep="\n", file=sys.stderr)
        return FAILED
    except (ToolError, AdminError) as error:
        text = exception_text(error) if isinstance(error, AdminError) else str(error)
        consumer_groups.print_error(f"Executing consumer group command failed due to {text}")
        if isinstance(error.__cause__, AdminError):
            # The reason, where Kafka's message has none: its tool prints the exception here.
            sys.stdout.flush()
            print(exception_text(error.__cause__), file=sys.stderr)
    return 0


def _act(options: Options, client: AdminClient, reset: OffsetReset) -> None:
    if options.has("list"):
        consumer_groups.print_list(
            client,
            states=_chosen(options, "state", "state list", "states", _STATES),
            types=_chosen(options, "type", "types list", "types", _TYPES),
        )
        return
    if options.has("delete-offsets"):
        group_id = options.value("group") or ""
        consumer_groups.delete_group_offsets(client, group_id, options.values("topic"))
        return
    groups = consumer_groups.chosen_groups(options, client)
    if options.has("delete"):
        consumer_groups.delete_groups(client, groups)
    elif options.has("reset-offsets"):
        reset_offsets(client, reset, groups)
    elif options.has("members"):
        consumer_groups.print_members(client, groups, verbose=options.has("verbose"))
    elif options.has("state"):
        consumer_groups.print_states(client, groups, verbose=options.has("verbose"))
    else:
        consumer_groups.print_offsets(client, groups, verbose=options.has("verbose"))


def _whole(options: Options, name: str, *, is_first: bool = False) -> int | None:
    """Return an option of 64 bits; the first of several values if `is_first`.

    Raises:
        ToolError: it is not such a number.
    """
    text = options.values(name)[0] if is_first and options.has(name) else options.value(name)
    try:
        return None if text is None else whole_number(text, INT64_MIN, INT64_MAX)
    except ValueError:
        raise ToolError(f"Cannot parse argument '{text}' of option {name}") from None


def _chosen(
    options: Options, name: str, listed: str, many: str, known: tuple[str, ...]
) -> list[str] | None:
    """Return the values of an option as Kafka spells them; None if the option is missing.

    Raises:
        UsageError: a value is unknown.
    """
    text = options.value(name)
    if text is None:
        return None
    # Empty parts at the end do not count, as in Java's split.
    values = text.rstrip(",")
    if not values:
        return []
    spelled = {it.lower(): it for it in known}
    wanted = [it.strip().lower() for it in values.split(",")]
    if not all(it in spelled for it in wanted):
        raise UsageError(f"Invalid {listed} '{text}'. Valid {many} are: {', '.join(known)}")
    return [spelled[it] for it in wanted]


def _check(options: Options) -> None:
    """Raise a UsageError if options conflict or are missing."""
    unavailable = [
        name
        for name, others in sorted(_AVAILABLE_WITH.items())
        if options.has(name) and not any(options.has(other) for other in others)
    ]
    if unavailable:
        raise ToolError(
            f"Option(s) [{', '.join(unavailable)}] are unavailable given other options on the"
            " command line"
        )
    if not options.has("validate-regex"):
        options.require("bootstrap-server")
    if options.has("describe"):
        _check_describe(options)
    if options.has("delete"):
        _require_scope(options, "delete")
        if options.has("topic"):
            raise UsageError(
                "The consumer does not support topic-specific offset deletion from a consumer"
                " group."
            )
    if options.has("delete-offsets") and not (options.has("group") and options.has("topic")):
        raise UsageError("Option [delete-offsets] takes the following options: [group], [topic]")
    if options.has("reset-offsets"):
        _check_reset(options)
    options.refuse("group", ("all-groups", "list"))
    options.refuse("topic", ("list", "describe"))
    if sum(options.has(name) for name in _ACTIONS) != 1:
        names = ", ".join(f"--{name}" for name in _ACTIONS)
        raise UsageError(f"Command must include exactly one action: {names}")


def _require_scope(options: Options, action: str) -> None:
    if not (options.has("group") or options.has("all-groups")):
        raise UsageError(f"Option [{action}] takes one of these options: {_ONE_SCOPE}")


def _check_describe(options: Options) -> None:
    _require_scope(options, "describe")
    if sum(options.has(name) for name in ("members", "offsets", "state")) > 1:
        raise UsageError(
            "Option [describe] takes at most one of these options: [members], [offsets], [state]"
        )
    if options.value("state"):
        raise UsageError("Option [describe] does not take a value for [state]")


def _check_reset(options: Options) -> None:
    if options.has("dry-run") and options.has("execute"):
        raise UsageError("Option [reset-offsets] only accepts one of [execute] and [dry-run]")
    if not (options.has("dry-run") or options.has("execute")):
        print(
            "WARN: No action will be performed as the --execute option is missing. In version 5.0,"
            " this command will require either --dry-run or --execute to be specified. You should"
            " add the --dry-run option explicitly if you are scripting this command and want to"
            " keep the current default behavior without prompting.",
            file=sys.stderr,
        )
    _require_scope(options, "reset-offsets")
    for name in SCENARIOS:
        options.refuse(name, (other for other in SCENARIOS if other != name))
