"""judge: what it is given, and what it says of a folder that holds no run."""

import json
import zipfile

import pytest

from minikafka.cli.main import main
from minikafka.harness import judge_again, preflight
from minikafka.harness.judge_again import broken_promises, of_the_run
from minikafka.harness.settings import RunFiles


@pytest.mark.parametrize(
    "words", [[], ["RUN"], ["--out", "x"], ["RUN", "--out", "x", "--archive", "y.zip"]]
)
def test_it_needs_a_run_and_a_folder_or_an_archive(words, capsys):
    assert main(["judge", *words]) == 3
    assert "give RUN and --out DIR, or --archive FILE" in capsys.readouterr().err


def test_the_archive_has_the_package_and_nothing_compiled(tmp_path):
    target = tmp_path / "minikafka.zip"
    assert main(["judge", "--archive", str(target)]) == 0
    names = zipfile.ZipFile(target).namelist()
    assert "minikafka/harness/data_sources.py" in names
    assert not [name for name in names if "__pycache__" in name or name.startswith("/")]


def test_an_archive_that_cannot_be_written_is_named(tmp_path, capsys):
    assert main(["judge", "--archive", str(tmp_path / "nowhere" / "x.zip")]) == 3
    assert "x.zip: No such file or directory" in capsys.readouterr().err


def test_a_folder_without_a_run_is_named(tmp_path, capsys):
    assert main(["judge", str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    assert "holds no finished run" in capsys.readouterr().err


@pytest.fixture
def unjudged(tmp_path):
    files = RunFiles(tmp_path / "run")
    files.root.mkdir()
    files.verdict.write_text("{}")
    files.spark_events.write_text(json.dumps({"event": "session"}) + "\n")
    return files


def test_a_run_that_was_not_judged_is_named(unjudged, tmp_path, capsys):
    assert main(["judge", str(unjudged.root), "--out", str(tmp_path / "out")]) == 2
    assert "that Spark has not judged" in capsys.readouterr().err


def test_a_folder_that_holds_something_is_not_written_to(unjudged, capsys):
    with unjudged.spark_events.open("a") as file:
        file.write(json.dumps({"event": "judged", "stream_is_complete": True}) + "\n")
    assert main(["judge", str(unjudged.root), "--out", str(unjudged.root)]) == 2
    assert "is not empty" in capsys.readouterr().err


def test_what_only_the_run_could_see_is_taken_from_its_verdict():
    """Of an older version too, which had neither topics that are gone nor a lenient option."""
    promises = {"replicas_differ": {"count": 2}, "data_loss_reported": {"count": None}}
    older = {"promises": promises, "reasons": ["No."]}
    told = of_the_run(older)
    assert told == {"broken": {"replicas_differ": 2}, "reasons": ["No."], "lenient": []}
    newer = {
        "promises": {**promises, "topic_gone": {"count": 1}},
        "reasons": [],
        "lenient": {"rules": ["faults"], "left_out": []},
    }
    assert of_the_run(newer)["broken"] == {"replicas_differ": 2, "topic_gone": 1}
    assert of_the_run(newer)["lenient"] == ["faults"]
    answer = {"promises": {}, "regressions": [], "of_the_run": told}
    assert broken_promises(answer) == {"replicas_differ": 2}


@pytest.mark.parametrize(
    ("of_run", "count", "status", "said"),
    [
        ({"reasons": []}, 0, 0, "every promise was kept"),
        ({"reasons": ["Too few."]}, 0, 2, "undecided, as the run was: Too few."),
        ({"reasons": ["Too few."]}, 1, 1, "a promise was broken"),
        ({"reasons": [], "lenient": ["faults"]}, 0, 0, "not required were faults"),
    ],
)
def test_a_run_that_was_undecided_is_not_called_kept(
    monkeypatch, capsys, of_run, count, status, said
):
    answer = {
        "counts": {"acknowledged": 1, "read_afresh": 1},
        "promises": {"lost": {"count": count}},
        "regressions": [],
        "of_the_run": {"broken": {}, "lenient": [], **of_run},
    }
    monkeypatch.setattr(preflight, "check", lambda: "17")
    monkeypatch.setattr(judge_again, "judge_again", lambda *_: answer)
    assert main(["judge", "run", "--out", "out"]) == status
    assert said in capsys.readouterr().out


def test_what_is_broken_is_what_was_counted():
    answer = {
        "promises": {"lost": {"count": 2}, "gap": {"count": None}, "moved": {"count": 0}},
        "regressions": [{}],
    }
    assert broken_promises(answer) == {"lost": 2, "high_watermark_regression": 1}
