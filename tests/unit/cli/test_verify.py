import pytest

from minikafka.cli import verify
from minikafka.harness import preflight
from minikafka.harness.settings import HarnessError


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--inject", "gremlins"], "invalid choice: 'gremlins'"),
        (["--seconds", "soon"], "invalid float value: 'soon'"),
        (["--no-such-option"], "unrecognized arguments"),
    ],
)
def test_a_usage_error_ends_with_status_3(arguments, said, capsys):
    with pytest.raises(SystemExit) as end:
        verify.main(arguments)
    assert end.value.code == 3
    assert said in capsys.readouterr().err


def test_values_out_of_range_are_told_all_at_once_with_status_3(capsys, tmp_path):
    out = tmp_path / "out"
    arguments = ["--nodes", "0", "--rate", "0", "--config", "x", "--out", str(out)]
    assert verify.main(arguments) == 3
    assert len(capsys.readouterr().err.splitlines()) == 3
    assert not out.exists()


def test_a_machine_without_java_is_told_so_before_anything_is_started(
    capsys, tmp_path, monkeypatch
):
    def check():
        raise HarnessError("Spark needs Java 17 or newer, and there is none.")

    monkeypatch.setattr(preflight, "check", check)
    out = tmp_path / "out"
    assert verify.main(["--out", str(out)]) == 2
    assert capsys.readouterr().err == (
        "minikafka verify: Spark needs Java 17 or newer, and there is none.\n"
    )
    assert not out.exists()


def test_the_help_names_every_exit_status(capsys):
    with pytest.raises(SystemExit) as end:
        verify.main(["--help"])
    assert end.value.code == 0
    assert "0 verified, 1 a promise was broken" in capsys.readouterr().out
