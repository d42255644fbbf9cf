"""judge: what it is given, and what it says of a folder that holds no run."""

import json
import zipfile
from unittest.mock import Mock

import duckdb
import pytest

from minikafka.cli.main import main
from minikafka.harness import judge_again, preflight
from minikafka.harness.clients.ledger import LedgerDamagedError
from minikafka.harness.judge_again import broken_promises, differences, of_the_run
from minikafka.harness.plan.settings import RunFiles
from minikafka.harness.verdict.loop_checks import LoopFindings, loop_promises
from minikafka.harness.verdict.stream_files import committed_files
from minikafka.harness.verdict.verdict_file import KINDS, SCHEMA
from tests.worlds.verdict_evidence import LOOPS


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
    assert "minikafka/harness/spark/data_sources.py" in names
    assert not [name for name in names if "__pycache__" in name or name.startswith("/")]


def test_an_archive_that_cannot_be_written_is_named(tmp_path, capsys):
    assert main(["judge", "--archive", str(tmp_path / "nowhere" / "x.zip")]) == 3
    assert "x.zip: No such file or directory" in capsys.readouterr().err


def test_a_folder_without_a_run_is_named(tmp_path, capsys):
    assert main(["judge", str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    assert "holds no finished run" in capsys.readouterr().err


VERDICT = {
    "schema": SCHEMA,
    "injected": None,
    "producers": [
        {"producer": 1, "sent": 6, "acked": 5, "failed": 1, "unknown": 0},
        {"producer": 2, "sent": 5, "acked": 4, "failed": 0, "unknown": 1},
    ],
    "counts": {"read_by_stream": 10, "read_afresh": 10},
    "group": {"protocol": "eager", "polled": 10, "commits": 3, "refused": 1, "assignments": 2},
    "promises": {kind: {"count": 0} for kind in KINDS},
    "reasons": [],
}
ANSWER = {
    "counts": {
        "acknowledged": 9, "failed": 1, "unknown_found": 1, "unknown_absent": 0,
        "read_by_stream": 10, "read_afresh": 10,
    },
    "promises": {kind: {"count": 0} for kind in KINDS},
    "regressions": [],
    "group_is_complete": True,
    "group_counts": {"polled": 10, "commits": 3, "refused": 1, "assignments": 2},
}  # fmt: skip
EVIDENCE = (
    *("events.jsonl", "checkpoint", "streamed.parquet", "reread.parquet", "polls.msgpack"),
    *("reread-uncommitted.parquet", "ledger/producer-1.msgpack", "ledger/producer-2.msgpack"),
)


@pytest.fixture
def unjudged(tmp_path):
    files = RunFiles(tmp_path / "run")
    files.root.mkdir()
    files.verdict.write_text(json.dumps(VERDICT))
    files.spark_events.write_text(json.dumps({"event": "session"}) + "\n")
    return files


@pytest.fixture
def judged(unjudged):
    """Everything that a verdict rests on, each empty."""
    with unjudged.spark_events.open("a") as file:
        file.write(json.dumps({"event": "judged", "stream_is_complete": True}) + "\n")
    for name in EVIDENCE:
        path = unjudged.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")
    return unjudged


def test_a_run_that_was_not_judged_is_named(unjudged, tmp_path, capsys):
    assert main(["judge", str(unjudged.root), "--out", str(tmp_path / "out")]) == 2
    assert "that was not judged" in capsys.readouterr().err


def test_a_folder_that_holds_something_is_not_written_to(judged, capsys):
    assert main(["judge", str(judged.root), "--out", str(judged.root)]) == 2
    assert "is not empty" in capsys.readouterr().err


def test_a_folder_that_cannot_be_made_is_named(judged, capsys):
    assert main(["judge", str(judged.root), "--out", str(judged.verdict / "out")]) == 2
    assert "verdict.json/out: Not a directory." in capsys.readouterr().err


@pytest.mark.parametrize("name", EVIDENCE)
def test_a_file_that_is_missing_is_named(judged, tmp_path, capsys, name):
    """Without it everything would be lost or skipped, or would not be judged at all."""
    (judged.root / name).unlink()
    assert main(["judge", str(judged.root), "--out", str(tmp_path / "out")]) == 2
    name = name.removeprefix("ledger/")
    assert f"lacks {name}, on which its verdict is based." in capsys.readouterr().err


def test_a_ledger_without_entries_is_missing(judged, tmp_path, capsys):
    """All of its records would have been sent by no producer."""
    (judged.ledgers / "producer-2.msgpack").write_bytes(b"")
    assert main(["judge", str(judged.root), "--out", str(tmp_path / "out")]) == 2
    assert "lacks producer-2.msgpack, on" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["[]", "{}", '{"schema": "minikafka.verdict/2"}'])
def test_a_verdict_of_another_form_is_named(judged, tmp_path, capsys, text):
    judged.verdict.write_text(text)
    assert main(["judge", str(judged.root), "--out", str(tmp_path / "out")]) == 2
    assert "verdict.json is not a verdict: its schema is not" in capsys.readouterr().err


@pytest.mark.parametrize("error", [LedgerDamagedError("p1: at byte 7"), duckdb.Error("No.")])
def test_a_damaged_file_is_one_sentence(judged, tmp_path, monkeypatch, capsys, error):
    monkeypatch.setattr(judge_again, "_judge", Mock(side_effect=error))
    words = ["judge", str(judged.root), "--out", str(tmp_path / "out"), "--engine", "local"]
    assert main(words) == 2
    assert f"run cannot be judged: {error}" in capsys.readouterr().err


def test_an_interrupt_is_one_sentence(monkeypatch, capsys):
    monkeypatch.setattr(judge_again, "judge_again", Mock(side_effect=KeyboardInterrupt))
    assert main(["judge", "run", "--out", "out"]) == 2
    assert capsys.readouterr().err == "minikafka judge: aborted.\n"


def test_files_that_show_what_the_verdict_says_are_those_of_the_run():
    assert differences(VERDICT, ANSWER) == []


@pytest.mark.parametrize(
    ("verdict", "answer", "said"),
    [
        (
            {},
            {"acknowledged": 8, "unknown_absent": 1},
            "acknowledged: the verdict of the run says 9, its files show 8",
        ),
        (
            {},
            {"acknowledged": 8, "unknown_absent": 1},
            "unknown: the verdict of the run says 1, its files show 2",
        ),
        ({}, {"failed": 0}, "failed: the verdict of the run says 1, its files show 0"),
        (
            {},
            {"read_by_stream": 9},
            "read by stream: the verdict of the run says 10, its files show 9",
        ),
        ({}, {"read_afresh": 9}, "read afresh: the verdict of the run says 10, its files show 9"),
        (
            {"promises": {"lost": {"count": 2}}},
            {},
            "lost: the verdict of the run says 2, its files show 0",
        ),
        (
            {"promises": {"high_watermark_regression": {"count": 1}}},
            {},
            "high watermark regression: the verdict of the run says 1, its files show 0",
        ),
    ],
)
def test_files_that_were_changed_since_the_run_are_noticed(verdict, answer, said):
    changed = {**ANSWER, "counts": {**ANSWER["counts"], **answer}}
    assert any(said in each for each in differences({**VERDICT, **verdict}, changed))


@pytest.mark.parametrize("name", ["polled", "commits", "refused", "assignments"])
def test_entries_that_are_gone_from_the_log_of_the_group_are_noticed(name):
    """A record that was given again after a commit is seen by the commit alone."""
    counts = {**ANSWER["group_counts"], name: 0}
    [said] = differences(VERDICT, {**ANSWER, "group_counts": counts})
    said_before = VERDICT["group"][name]
    assert said == (
        f"{name} of the group: the verdict of the run says {said_before}, its files show 0."
    )


def test_a_log_of_the_group_that_was_cut_is_noticed():
    cut = {**ANSWER, "group_is_complete": False}
    [said] = differences(VERDICT, cut)
    assert said == "The poll log shows that the consumer group did not read to the end."
    assert differences({**VERDICT, "group": {}}, cut) == []


def test_files_of_loops_that_were_changed_since_the_run_are_noticed():
    promises = {"lost": {"count": 0}, **loop_promises(LoopFindings())}
    verdict = {**VERDICT, "loops": LOOPS, "promises": promises}
    answer = {**ANSWER, "loops": LOOPS, "promises": {**ANSWER["promises"], **promises}}
    assert differences(verdict, answer) == []
    found = LoopFindings()
    found.add("loop_lost", 0, 7, "input 0:7")
    changed = {**answer, "loops": {**LOOPS, "read_afresh": 6, "problems": ["It is damaged."]}}
    changed["promises"] = {**promises, **loop_promises(found)}
    assert differences(verdict, changed) == [
        "loop lost: the verdict of the run says 0, its files show 1.",
        "read afresh of the loops: the verdict of the run says 7, its files show 6.",
        "It is damaged.",
    ]
    assert broken_promises(changed)["loop_lost"] == 1


def test_what_was_injected_is_no_difference():
    injected = {"kind": "loss", "records": ["p1#1"], "found": True}
    counts = {"read_by_stream": 9, "read_afresh": 9}
    verdict = {**VERDICT, "injected": injected, "counts": counts}
    assert differences({**verdict, "promises": {"lost": {"count": 1}}}, ANSWER) == []


def test_the_files_of_a_stream_are_found_wherever_they_are(tmp_path):
    """Spark's list has absolute paths; a compact entry holds everything before it."""

    def write(name, *files):
        rows = [json.dumps({"path": f"file:///once/a%20run/{file}", "size": 1}) for file in files]
        (tmp_path / "_spark_metadata" / name).write_text("\n".join(("v1", *rows)))

    (tmp_path / "_spark_metadata").mkdir()
    write("8", "a.parquet")
    write("9.compact", "a.parquet", "b%20c.parquet")
    write("10", "d.parquet")
    write(".10.crc")
    (tmp_path / "not-committed.parquet").touch()
    names = ("a.parquet", "b c.parquet", "d.parquet")
    assert committed_files(tmp_path) == [tmp_path / name for name in names]
    (tmp_path / "_spark_metadata" / "9.compact").unlink()
    assert committed_files(tmp_path) == [tmp_path / name for name in ("a.parquet", "d.parquet")]
    assert committed_files(tmp_path / "nowhere") == []


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
        (
            {"reasons": [], "lenient": ["faults"]},
            0,
            0,
            "rules not required by the run (--lenient): faults",
        ),
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
        "differences": [],
    }
    monkeypatch.setattr(preflight, "check", lambda _: "17")
    monkeypatch.setattr(judge_again, "judge_again", lambda *_: answer)
    assert main(["judge", "run", "--out", "out"]) == status
    assert said in capsys.readouterr().out


@pytest.mark.parametrize(("broken", "status"), [({}, 2), ({"topic_gone": 1}, 1)])
def test_a_run_whose_files_were_changed_is_not_called_kept(monkeypatch, capsys, broken, status):
    told = {"reasons": [], "broken": broken, "lenient": []}
    answer = {**ANSWER, "of_the_run": told, "differences": ["Fewer."]}
    monkeypatch.setattr(preflight, "check", lambda _: "17")
    monkeypatch.setattr(judge_again, "judge_again", lambda *_: answer)
    assert main(["judge", "run", "--out", "out"]) == status
    out = capsys.readouterr().out
    assert "\nFewer.\n" in out
    assert ("undecided: the files do not match the run's verdict" in out) == (status == 2)


def test_what_is_broken_is_what_was_counted():
    answer = {
        "promises": {"lost": {"count": 2}, "gap": {"count": None}, "moved": {"count": 0}},
        "regressions": [{}],
    }
    assert broken_promises(answer) == {"lost": 2, "high_watermark_regression": 1}
