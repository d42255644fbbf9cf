"""S5: runs on two systems, side by side."""

import json

import pytest

from minikafka.harness.clients.ledger import Acknowledged, LedgerWriter
from tools import compare_runs

KILL = {"kind": "kill", "at_s": 1, "duration_s": 3, "targets": ["leader of 0"], "parameters": {}}
SLOW = {"kind": "latency", "at_s": 6, "duration_s": 2, "targets": [1], "parameters": {"ms": 50}}
SENT_US = (1_000_000, 2_000_000, 6_500_000)


def write_run(folder, cluster, answers_s, slow=True, seed=7, rate=10):
    """Records sent at 1, 2 and 6.5 s; a kill at 1.5 s and latency at 6 s; writing ends at 9 s."""
    ledgers = folder / "ledger"
    ledgers.mkdir(parents=True)
    with LedgerWriter(ledgers / "producer-1.msgpack") as writer:
        writer.header(
            run="r", producer=1, client="c", topic="t", topic_id="i", acks="all", idempotent=True
        )
        zeros = [0] * len(SENT_US)
        writer.sent(0, 0, partitions=zeros, after_us=SENT_US, crcs=zeros, sizes=zeros)
        writer.acked([Acknowledged(n, n, int(at_s * 1e6), 0) for n, at_s in enumerate(answers_s)])
    done = {"done_at_ms": 6_000, "healed_at_ms": 8_000, "problem": ""}
    not_done = {"done_at_ms": 0, "healed_at_ms": 0, "problem": "not done: no network\nat all"}
    verdict = {
        "outcome": "verified",
        "run": {"cluster": f"{cluster}, 3 brokers", "seed": seed, "writing_to_ms": 9_000,
                "network": "proxies"},
        "counts": {"sent": 3, "acknowledged": len(answers_s)},
        "percentiles": [0.5, 0.99],
        "latency_ms": {"send_to_ack": {"all": [4.25, 1234.5]}},
        "settings": {"rate": rate, "out": str(folder), "kafka_tools": "", "base_port": 1},
        "faults": [
            {**KILL, "done_at_ms": 1_500, "healed_at_ms": 5_000, "problem": ""},
            {**SLOW, **(done if slow else not_done)},
        ],
    }  # fmt: skip
    (folder / "verdict.json").write_text(json.dumps(verdict))
    return folder


@pytest.fixture
def folders(tmp_path):
    return [
        write_run(tmp_path / "a", "Apache Kafka", (1.1, 5.5, 7.5)),
        write_run(tmp_path / "b", "minikafka", (1.1, 4.0, 6.75)),
        write_run(tmp_path / "c", "minikafka", (1.1, 6.25), slow=False),
    ]


def test_unanswered_records_are_counted_within_the_time_of_each_fault(folders):
    first, second, third = map(compare_runs.read_run, folders)
    assert first.no_answer_ms == (3_500, 1_000)
    assert second.no_answer_ms == (2_000, 250)
    # Not done, so that all of the time up to the end is the first fault's.
    assert third.no_answer_ms == (4_250, None)
    assert third.healed_ms == (3_500, None)


def test_systems_stand_side_by_side_with_medians_and_spread(folders, capsys):
    assert compare_runs.main([str(folder) for folder in folders]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        "| seed | what | minikafka | Apache Kafka |",
        "| --- | --- | --- | --- |",
        "| 7 | verdict | 2 x verified | 1 x verified |",
        "| 7 | records sent | 3 | 3 |",
        "| 7 | of them acknowledged | 83.33 % (66.67 to 100.00) | 100.00 % |",
        "| 7 | kill leader of 0, for 3.0 s: no answer | 3.1 s (2.0 to 4.2) | 3.5 s |",
        "| 7 | kill leader of 0, for 3.0 s: start to recovery | 3.5 s | 3.5 s |",
        "| 7 | latency 1, ms 50, for 2.0 s: no answer | 0.2 s, not in 1 of 2 | 1.0 s |",
        "| 7 | send to ack, p50 | 4.2 ms | 4.2 ms |",
        "| 7 | send to ack, p99 | 1,234 ms | 1,234 ms |",
    ]


def test_a_fault_that_no_run_could_do_has_its_reason(tmp_path):
    run = compare_runs.read_run(write_run(tmp_path / "a", "minikafka", (1.1,), slow=False))
    assert "50, for 2.0 s: no answer | not done: no network |\n" in compare_runs.tables([run])


def test_a_seed_that_one_system_has_not_run_is_left_out_there(tmp_path, folders):
    other = write_run(tmp_path / "d", "minikafka", (1.1,), seed=8)
    text = compare_runs.tables([compare_runs.read_run(it) for it in (*folders, other)])
    assert "| 8 | verdict | 1 x verified | - |" in text


def test_runs_that_differ_in_more_than_the_system_are_refused(tmp_path, folders, capsys):
    other = write_run(tmp_path / "d", "Apache Kafka", (1.1,), rate=20)
    assert compare_runs.main([str(folders[0]), str(other)]) == 1
    assert capsys.readouterr().err == "seed 7: Apache Kafka had another settings\n"


def test_a_table_is_written_between_its_marks(tmp_path, folders):
    page = tmp_path / "page.md"
    one, other = (f"<!-- {it} -->\nold\n<!-- end of {it} -->\n" for it in ("runs", "others"))
    page.write_text(f"before\n{one}{other}after\n")
    assert compare_runs.main(["--write", str(page), "--mark", "others", str(folders[0])]) == 0
    text = page.read_text()
    assert text.startswith(f"before\n{one}<!-- others -->\n| seed |")
    assert text.endswith("|\n<!-- end of others -->\nafter\n")
    with pytest.raises(ValueError, match="no marks named third"):
        compare_runs.write(page, "third", "")
    assert page.read_text() == text


def test_a_folder_that_is_no_run_is_named(tmp_path, capsys):
    with pytest.raises(SystemExit):
        compare_runs.main([str(tmp_path)])
    assert f"{tmp_path} has no verdict.json" in capsys.readouterr().err
