"""Shells complete commands, actions and options."""

import subprocess

import pytest

from minikafka.cli.main import COMMANDS, main


@pytest.fixture
def script(capsys):
    def printed(shell):
        assert main(["completion", shell]) == 0
        return capsys.readouterr().out

    return printed


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["de"], ["delegation-tokens", "demo-elr", "dev"]),
        (["dev", "re"], ["reset", "resume"]),
        (["dev", "--base"], ["--base-port"]),
        (["dev", "logs", "--f"], ["--follow"]),
        (["dev", "he"], ["heal"]),
        (["dev", "fault", "--cl"], ["--client-id"]),
        (["dev", "--faults-"], ["--faults-host", "--faults-port"]),
        (["topics", "--unava"], ["--unavailable-partitions"]),
        (["transactions", "find-hanging", "--max"], ["--max-transaction-timeout"]),
    ],
)
def test_bash_completes_words(script, words, found):
    given = " ".join(("minikafka", *words))
    ask = f"COMP_WORDS=({given}); COMP_CWORD={len(words)}; _minikafka; echo ${{COMPREPLY[@]}}"
    done = subprocess.run(
        ["bash", "-c", script("bash") + ask], capture_output=True, text=True, check=True
    )
    assert sorted(done.stdout.split()) == found
    assert done.stderr == ""


def test_zsh_reads_the_same_script(script):
    assert script("zsh").endswith(script("bash"))


def test_fish_has_a_line_for_each_command_and_option(script):
    lines = script("fish").splitlines()
    for name, (_, summary) in COMMANDS.items():
        quoted = summary.replace("'", "\\'")
        line = f"complete -c minikafka -n '__fish_use_subcommand' -f -a {name} -d '{quoted}'"
        assert line in lines
    assert any(
        "__fish_seen_subcommand_from dev' -l base-port -d 'the first node\\'s" in it for it in lines
    )


def test_options_that_are_not_documented_are_left_out(script):
    assert "--ready-fd" not in script("bash")
