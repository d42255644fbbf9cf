"""Issue 51: commands of options are checked before anything is started."""

import pytest

from minikafka.harness.plan import commands
from minikafka.harness.plan.commands import TEMPLATES, filled, template_problems
from minikafka.harness.plan.schedule import KINDS

PAIR = {"pause": "true {node}", "resume": "true {node}"}
CUT = {"cut": "true {node} {other}", "heal": "true {other} {node}"}


@pytest.mark.parametrize(
    "given",
    [
        {},
        PAIR,
        CUT,
        {"kill": "true {node}", "start": "true {node}"},
        {"stop": "true n-{node}", "start": "true '{node} {{x}}'"},
        {"restart": "/bin/node-{node}"},
    ],
)
def test_valid_templates_have_no_problem(given):
    assert template_problems(given) == []


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({**PAIR, "pause": "true"}, "--pause-command 'true' has no {node}: it needs {node}."),
        (
            {**PAIR, "resume": "true {id}"},
            (
                "--resume-command 'true {id}' has an unknown placeholder {id}: it may have {node}; write"
                " {{ for a brace."
            ),
        ),
        ({**PAIR, "resume": "true {node!r}"}, "--resume-command 'true {node!r}' has an unknown"),
        ({**PAIR, "pause": "true {node"}, "--pause-command 'true {node' is not a template: "),
        ({**PAIR, "pause": "true {node} 'x"}, '--pause-command "true {node} \'x" is not a command'),
        (
            {**CUT, "cut": "true {node}"},
            "--cut-command 'true {node}' has no {other}: it needs {node}",
        ),
        (
            {**PAIR, "pause": "./absent {node}"},
            "--pause-command './absent {node}': there is no program",
        ),
        ({"pause": "true {node}"}, "--pause-command needs --resume-command."),
        ({"heal": CUT["heal"]}, "--heal-command needs --cut-command."),
        ({"kill": "true {node}"}, "--kill-command needs --start-command."),
        ({"start": "true {node}"}, "--start-command needs --kill-command or --stop-command."),
    ],
)
def test_an_invalid_template_is_named(given, problem):
    [found] = template_problems(given)
    assert found.startswith(problem)


def test_placeholders_are_replaced_in_words():
    assert filled("a '{node} b' {{x}}{other}", node=1, other=2) == ["a", "1 b", "{x}2"]


def test_every_kind_that_commands_make_possible_exists():
    assert {*commands.NEEDED, *commands.ANYWHERE} <= KINDS.keys()
    for sets in commands.NEEDED.values():
        assert all(name in TEMPLATES for names in sets for name in names)
