"""S3: one command runs seeds with ELR and without, and writes a table of each profile."""

import json

import pytest

from minikafka.harness.plan.draw import draw_schedule
from minikafka.harness.plan.settings import RunSettings
from tools import run_seeds
from tools.run_seeds import PAGES, SECONDS, Run


@pytest.mark.parametrize("profile", PAGES)
@pytest.mark.parametrize("seed", range(101, 105))
def test_both_runs_of_a_seed_have_the_same_faults(profile, seed):
    on, off = (Run(profile=profile, seed=seed, elr=elr).schedule().faults for elr in ("on", "off"))
    assert [fault for fault in on if fault.kind != "elr-off"] == list(off)
    chosen = {"profile": profile, "seed": seed, "seconds": SECONDS[profile]}
    drawn = draw_schedule(RunSettings(**chosen, controllers="separate")).faults
    assert on[: len(drawn)] == drawn


def test_the_last_member_of_the_isr_loses_power_in_both_profiles(tmp_path):
    for profile in PAGES:
        run = Run(profile=profile, seed=101, elr="off")
        unready = [
            fault
            for fault in run.schedule().faults
            if fault.kind == "power-cut" and fault.parameters == {"when_whole": False}
            if fault.targets != ("controller",)
        ]
        assert len(unready) == 1
        words = run.words(tmp_path / "plan")
        assert words[words.index("--elr") + 1] == "off"
        assert words[words.index("--controllers") + 1] == "separate"
        assert ("--profile" in words) == (profile == "harsh")


def kept(home, seed, elr, outcome, *, lost=0, rules=(), problem="", elected=None):
    folder = Run(profile="harsh", seed=seed, elr=elr).folder(home)
    folder.mkdir(parents=True)
    verdict = {
        "outcome": outcome,
        "rules": list(rules),
        "sentence": f"{outcome}.",
        "counts": {"acknowledged": 49_000},
        "promises": {"lost": {"count": lost}},
        "faults": [{"kind": "kill", "problem": ""}, {"kind": "pause", "problem": problem}],
        "elections": {} if elected is None else {"from_elr": elected},
    }
    (folder / "verdict.json").write_text(json.dumps(verdict))


@pytest.fixture
def home(tmp_path):
    kept(tmp_path, 101, "on", "verified", elected=6)
    kept(tmp_path, 101, "off", "broken", lost=5_172)
    kept(tmp_path, 102, "on", "undecided", rules=["faults", "faults", "elr"], problem="not done")
    kept(tmp_path, 103, "off", "undecided", lost=None, rules=["answer"])
    return tmp_path


def test_the_table_hides_no_run_that_is_undecided_or_was_not_made(home):
    *_, one, two, three, _, on, off = run_seeds.table(home / "harsh").splitlines()
    assert one == "| 101 | 2 of 2 | 49,000, **0** | 6 | verified | 49,000, **5,172** | broken |"
    assert two == "| 102 | 1 of 2 | 49,000, **0** | - | undecided: faults, elr | - | not run |"
    assert three == ("| 103 | 2 of 2 | - | - | not run | 49,000, not judged | undecided: answer |")
    assert on == (
        "- ELR on: 2 runs, 1 verified, 0 broken, 1 undecided; 0 acknowledged records lost, in"
        " 0 runs."
    )
    assert off.startswith("- ELR off: 2 runs, 0 verified, 1 broken, 1 undecided; 5,172 ack")


def test_a_finished_run_is_not_repeated(home, monkeypatch, capsys):
    asked = []
    monkeypatch.setattr(run_seeds, "_verify", lambda *words, **_: asked.append(words[2]) or "no")
    words = [str(home), "--profile", "harsh", "--only", "101,103"]
    assert run_seeds.main(words) == 0
    assert asked == [Run(profile="harsh", seed=103, elr="on")]
    shown = capsys.readouterr().out
    assert "harsh 101, ELR off: broken." in shown
    assert "| 102 |" in shown


def test_the_tables_are_written_between_the_marks_of_their_pages(home, monkeypatch, tmp_path):
    pages = {}
    for profile, page in PAGES.items():
        assert "<!-- seeds -->" in page.read_text()
        pages[profile] = tmp_path / page.name
        pages[profile].write_text("a\n<!-- seeds -->\nold\n<!-- end of seeds -->\nz\n")
    monkeypatch.setattr(run_seeds, "PAGES", pages)
    assert run_seeds.main([str(home), "--seeds", "0", "--write"]) == 0
    text = pages["harsh"].read_text()
    assert text == f"a\n<!-- seeds -->\n{run_seeds.table(home / 'harsh')}<!-- end of seeds -->\nz\n"
    assert "old" in pages["standard"].read_text()


@pytest.mark.parametrize("words", [["--profile", "soak"], ["--elr", "maybe"]])
def test_a_profile_that_has_no_page_is_refused(words, capsys, tmp_path):
    with pytest.raises(SystemExit):
        run_seeds.main([str(tmp_path), *words])
    assert "is none of" in capsys.readouterr().err
