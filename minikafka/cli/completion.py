"""minikafka completion: print a script with which a shell completes commands and options.

    bash:  source <(minikafka completion bash)                   in ~/.bashrc
    zsh:   source <(minikafka completion zsh)                    in ~/.zshrc
    fish:  minikafka completion fish > ~/.config/fish/completions/minikafka.fish

The script is made from the options of the commands, so make it again after an update.
"""

import argparse
from importlib import import_module
from typing import NamedTuple

from minikafka.cli._usage import TOOL_USAGE, usage_error

_SHELLS = ("bash", "zsh", "fish")


class Words(NamedTuple):
    """The words that can follow a command: options and subcommands, each with its help."""

    options: dict[str, str]
    subcommands: dict[str, "Words"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.error = usage_error(parser, TOOL_USAGE)  # type: ignore[method-assign,assignment]
    parser.description = __doc__
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("shell", choices=_SHELLS, help="the shell that reads the script")


def run(args: argparse.Namespace) -> int:
    """Print the script; return the exit status."""
    from minikafka.cli.main import COMMANDS

    commands: dict[str, Words] = {}
    for name, (module, _) in COMMANDS.items():
        parser = argparse.ArgumentParser()
        import_module(module).add_arguments(parser)
        commands[name] = _words(parser)
    if args.shell == "fish":
        summaries = {name: summary for name, (_, summary) in COMMANDS.items()}
        print("\n".join(_fish(commands, summaries)))
        return 0
    if args.shell == "zsh":
        print("autoload -Uz compinit bashcompinit && compinit && bashcompinit")
    print("\n".join(_bash(commands)))
    return 0


def _words(parser: argparse.ArgumentParser) -> Words:
    found = Words({}, {})
    for action in parser._actions:  # noqa: SLF001 - argparse has no other list of its options
        if action.help == argparse.SUPPRESS:
            continue
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            found.subcommands.update({name: _words(it) for name, it in action.choices.items()})
        for option in action.option_strings:
            if option.startswith("--"):
                found.options[option] = (action.help or "").replace("%%", "%")
    return found


def _bash(commands: dict[str, Words]) -> list[str]:
    lines = [
        "_minikafka() {",
        "  local words",
        "  if ((COMP_CWORD == 1)); then",
        f'    words="{" ".join((*commands, "--help", "--version"))}"',
        "  else",
        '    case "${COMP_WORDS[1]} ${COMP_WORDS[2]-}" in',
    ]
    for name, words in commands.items():
        for subcommand, each in words.subcommands.items():
            lines.append(f'      "{name} {subcommand}") words="{" ".join(each.options)}" ;;')
    for name, words in commands.items():
        known = " ".join((*words.subcommands, *words.options))
        lines.append(f'      "{name} "*) words="{known}" ;;')
    lines += [
        "    esac",
        "  fi",
        '  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))',
        "}",
        # Where no word fits, a file name may.
        "complete -o default -F _minikafka minikafka",
    ]
    return lines


def _fish(commands: dict[str, Words], summaries: dict[str, str]) -> list[str]:
    lines = []
    for name, words in commands.items():
        lines.append(_fish_line("__fish_use_subcommand", f"-f -a {name}", summaries[name]))
        seen = f"__fish_seen_subcommand_from {name}"
        for option, text in words.options.items():
            lines.append(_fish_line(seen, f"-l {option.removeprefix('--')}", text))
        for subcommand, each in words.subcommands.items():
            lines.append(_fish_line(seen, f"-a {subcommand}", ""))
            both = f"{seen}; and __fish_seen_subcommand_from {subcommand}"
            for option, text in each.options.items():
                lines.append(_fish_line(both, f"-l {option.removeprefix('--')}", text))
    return lines


def _fish_line(condition: str, what: str, text: str) -> str:
    quoted = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"complete -c minikafka -n '{condition}' {what} -d '{quoted}'"
