"""The text of scenarios: commands, expected output, and errors."""

import pytest

from minikafka.sim.scenario.scenario import ScenarioError, parse, play, spans, without_times

KNOWN = ("cluster", "kill", "wait")
TEXT = """\
# Two brokers.
cluster brokers=2

# One goes.
kill 1
    1.5s    t        no leader
    and more
wait 5s
"""


def test_commands_and_their_expected_output():
    scenario = parse(TEXT, "two.txt", dict.fromkeys(KNOWN))
    assert [command.text for command in scenario.commands] == [
        "cluster brokers=2",
        "kill 1",
        "wait 5s",
    ]
    assert [command.line for command in scenario.commands] == [2, 5, 8]
    assert scenario.traces == [[], ["1.5s    t        no leader", "and more"], []]


def test_an_up_to_date_file_plays_into_itself_and_keeps_its_comments():
    scenario = parse(TEXT, "two.txt", dict.fromkeys(KNOWN))
    assert scenario.text(scenario.traces) == TEXT
    changed = scenario.text([["a"], [], ["b", "c"]])
    assert (
        changed
        == "# Two brokers.\ncluster brokers=2\n    a\n\n# One goes.\nkill 1\nwait 5s\n    b\n    c\n"
    )


def test_commands_are_carried_out_in_their_order():
    scenario = parse(TEXT, "two.txt", dict.fromkeys(KNOWN))
    assert play(scenario, lambda command: [command.name]) == [["cluster"], ["kill"], ["wait"]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cluster\nkil 1\n", "x.txt:2: no command kil; there is cluster, kill, wait"),
        ("\n   1.0s  t  leader 1\n", "x.txt:2: an expectation before any command"),
    ],
)
def test_an_error_is_one_line_with_file_and_line(text, message):
    with pytest.raises(ScenarioError) as error:
        parse(text, "x.txt", dict.fromkeys(KNOWN))
    assert str(error.value) == message


def words(text):
    (command,) = parse(text, "x.txt", dict.fromkeys(KNOWN)).commands
    return command.words()


def test_words_of_a_command_are_parsed():
    taken = words("kill 1 2,3 a=5 b=off")
    assert taken.next("a node") == "1"
    assert taken.numbers(taken.next("nodes")) == [2, 3]
    assert taken.number("a", 7) == 5
    assert taken.number("c", 7) == 7
    assert taken.switch("b", default=True) is False
    taken.finish()


@pytest.mark.parametrize(
    ("text", "take", "message"),
    [
        ("kill", lambda it: it.next("a node"), "kill needs a node"),
        ("kill x", lambda it: it.numbers("1,x"), "x: it is a number"),
        ("kill a=x", lambda it: it.number("a", 1), "a=x: it is a number"),
        ("kill a=x", lambda it: it.switch("a", default=True), "a=x: it is on or off"),
        ("kill 1", lambda it: it.finish(), "kill knows no 1"),
        ("kill b=1", lambda it: it.finish(), "kill knows no b="),
        ("wait 5m", lambda it: it.duration_ms("5m"), "5m: it is a time, as 300ms or 1.5s"),
    ],
)
def test_a_word_that_does_not_fit_is_named(text, take, message):
    with pytest.raises(ScenarioError) as error:
        take(words(text))
    assert str(error.value) == f"x.txt:1: {message}"


def test_an_option_is_given_once():
    with pytest.raises(ScenarioError, match="x.txt:1: a= is given twice"):
        words("kill a=1 a=2")


def test_times():
    taken = words("wait 1")
    assert (taken.duration_ms("300ms"), taken.duration_ms("1.5s")) == (300, 1500)


def test_texts_are_compared_without_times():
    assert without_times(
        "kill 1\n    1.5s    t        ISR 1\n    12.0s   n1       ends at 2.0s\n"
    ) == ("kill 1\n    t        ISR 1\n    n1       ends at 2.0s\n")


def test_consecutive_numbers_are_printed_as_ranges():
    assert spans([1, 2, 3, 5, 7, 8], "r") == "r1-r3 r5 r7-r8"
    assert spans([]) == ""
