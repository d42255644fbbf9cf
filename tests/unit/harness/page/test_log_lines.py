import pytest

from minikafka.harness.page import log_lines
from minikafka.harness.page.log_lines import AROUND_MS, LINES_MAX, fill, moments, time_of
from tests.worlds import report_evidence
from tests.worlds.report_evidence import ms


@pytest.fixture
def folder(tmp_path):
    return report_evidence.broken(tmp_path).folder


def test_times_close_together_are_one_moment_and_there_are_few():
    found = moments([9_000, 1_000, 2_500, 4_000])
    assert [(one.began_at_ms, one.ended_at_ms) for one in found] == [(1_000, 4_000), (9_000, 9_000)]
    assert len(moments(range(0, 10**6, 10_000))) == log_lines.MOMENTS_MAX


def test_lines_of_all_logs_around_a_moment_are_in_the_order_of_time(folder):
    around = moments([ms(7)])
    fill(around, folder)
    [moment] = around
    times = [line.at_ms for line in moment.lines]
    assert times == sorted(times)
    assert times[0] == ms(5)
    assert times[-1] == ms(9)
    assert {line.source for line in moment.lines} == {
        *("cluster/node-1/node.log", "cluster/node-2/node.log", "logs/producer-1.log")
    }
    assert moment.left_out == 0


def test_a_line_without_a_time_belongs_to_the_one_before(folder):
    [before, after] = log_lines.read(folder / "logs" / "producer-1.log", "p")
    assert after.text == "  second line of it"
    assert before.at_ms == after.at_ms == ms(5.2)


def test_the_segments_of_topics_are_no_logs(folder):
    names = [path.name for path in log_lines.log_files(folder)]
    assert names == ["node.log", "node.log", "producer-1.log"]


def test_a_flood_is_cut_in_the_middle_and_a_long_line_at_its_end(tmp_path):
    (tmp_path / "logs").mkdir()
    lines = [f"%3|1795000000.{n:03d}|X|{n} " + "y" * 5_000 for n in range(300)]
    (tmp_path / "logs" / "a.log").write_text("\n".join(lines))
    [moment] = around = moments([1_795_000_000_000])
    fill(around, tmp_path)
    assert len(moment.lines) == LINES_MAX
    assert moment.left_out == 300 - LINES_MAX
    assert moment.lines[-1].text.startswith("%3|1795000000.299|X|299 y")
    assert len(moment.lines[0].text) == 400


def test_a_run_without_logs_has_no_lines(tmp_path):
    [moment] = around = moments([0])
    fill(around, tmp_path)
    assert moment.lines == []


def test_times_of_brokers_and_clients_are_understood():
    """minikafka, Apache Kafka (log4j), librdkafka."""
    local = report_evidence._local(1.25)
    assert time_of(f"{local} INFO [node 1] x") == ms(1.25)
    assert time_of(f"[{local}] WARN [Broker id=1] y") == ms(1.25)
    assert time_of("%4|1795276657.508|FAIL|z") == 1_795_276_657_508
    assert time_of("\tat org.example.Thing") == 0
    assert AROUND_MS == 2_000
