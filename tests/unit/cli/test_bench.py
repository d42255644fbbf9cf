"""`minikafka bench`: its options, its plan, its report; and a whole run of a worker."""

import argparse
import io
import json
import os
import socket
import subprocess
import sys
import threading
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import pytest
from rich.console import Console

from minikafka.bench import run as bench_run
from minikafka.bench.memory import WarmMemory
from minikafka.bench.native import NativeClient
from minikafka.bench.plan import LOADS, Measurement, plan
from minikafka.bench.processes import cpu_seconds, listeners, resident_mib
from minikafka.bench.replay import (
    ReplayError,
    RequestReplay,
    fetch_replay,
    percentile_us,
    produce_replay,
    run_replay,
)
from minikafka.bench.report import print_table, summarize, summarize_all, write_json
from minikafka.bench.targets import BenchError, end, kafka_cluster_program, read_until
from minikafka.cli import bench
from minikafka.common.errors import ErrorCode
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.api_versions import ApiVersion, ApiVersionsRequest, ApiVersionsResponse
from minikafka.messages.fetch import (
    FetchableTopicResponse,
    FetchRequest,
    FetchResponse,
    PartitionData,
)
from minikafka.messages.metadata import (
    MetadataRequest,
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from minikafka.messages.produce import (
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceResponse,
)
from minikafka.protocol.framing import FrameReader
from minikafka.records.reader import read_records
from minikafka.rpc.envelope import decode_request, encode_response

ROOT = Path(__file__).resolve().parents[3]


def run(capsys, *words):
    parser = argparse.ArgumentParser()
    bench.add_arguments(parser)
    status = bench.run(parser.parse_args(words))
    return status, capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ([], "nothing to measure"),
        (["--versus", "a:1"], "compare with --bootstrap-server or --start-nodes"),
        (["--before", "d", "--startup"], "compare with --bootstrap-server or --start-nodes"),
        (
            ["--bootstrap-server", "a:1", "--start-nodes", "1"],
            "--start-nodes and --bootstrap-server",
        ),
        (
            ["--start-nodes", "1", "--versus", "a:1", "--kafka-tools", "d"],
            "--kafka-tools and --versus",
        ),
        (["--start-nodes", "0"], "nothing to measure"),
        (["--startup", "--seconds", "0"], "--seconds"),
        (["--startup", "--warm-mb", "-1"], "--warm-mb"),
    ],
)
def test_options_that_make_no_sense_are_named(capsys, words, named):
    status, err = run(capsys, *words)
    assert status == 2
    assert named in err


@pytest.mark.parametrize("words", [["--loads", "bogus"], ["--rounds", "0"], ["--pids", "x"]])
def test_values_that_make_no_sense_are_named(capsys, words):
    parser = argparse.ArgumentParser()
    bench.add_arguments(parser)
    with pytest.raises(SystemExit):
        parser.parse_args(words)
    assert repr(words[1]) in capsys.readouterr().err


def test_missing_kafka_tools_are_told_with_what_to_do(tmp_path):
    with pytest.raises(BenchError, match=r"no program kafka-cluster\..*--versus"):
        kafka_cluster_program(tmp_path)


def test_a_folder_without_another_version_is_told_before_anything_starts(tmp_path, capsys):
    status, err = run(capsys, "--start-nodes", "1", "--before", str(tmp_path))
    assert status == 1
    assert err.startswith(f"minikafka bench: --before {tmp_path}: the folder has no package")


def test_what_make_bench_runs_is_taken():
    """Each way to call it: alone, beside a cluster, beside Apache Kafka."""
    for more in ([], ["VERSUS=a:1"], ["MINIKAFKA_ORACLE=d"], ["OPTIONS=--rounds 1"]):
        made = subprocess.run(
            ["make", "-n", "bench", *more], cwd=ROOT, capture_output=True, text=True, check=True
        )
        [command] = [line for line in made.stdout.splitlines() if "bin/minikafka bench" in line]
        parser = argparse.ArgumentParser()
        bench.add_arguments(parser)
        args = parser.parse_args(command.split()[2:])
        assert args.before is not None
        assert bench._problems(args) == []


def test_a_cluster_that_does_not_answer_ends_with_a_message(capsys, monkeypatch):
    def refused(*_args, **_kwargs):
        raise BenchError("no answer")

    monkeypatch.setattr(bench_run, "given_target", refused)
    status, err = run(capsys, "--bootstrap-server", "127.0.0.1:1")
    assert (status, err) == (1, "minikafka bench: no answer\n")


def test_a_plan_measures_every_load_of_every_target_once_a_round():
    loads = list(LOADS.values())
    steps = plan(loads, ["A", "B"], rounds=3, seed=7)
    counted = Counter((step.round, step.load.name, step.target) for step in steps)
    assert len(counted) == 3 * len(loads) * 2
    assert set(counted.values()) == {1}


def test_both_targets_of_a_load_are_measured_one_after_the_other():
    steps = plan(list(LOADS.values()), ["A", "B"], rounds=2, seed=7)
    for first, second in zip(steps[::2], steps[1::2], strict=True):
        assert first.load is second.load
        assert {first.target, second.target} == {"A", "B"}


def test_a_seed_repeats_its_order_and_neither_target_always_goes_first():
    loads = list(LOADS.values())
    steps = plan(loads, ["A", "B"], rounds=3, seed=7)
    assert steps == plan(loads, ["A", "B"], rounds=3, seed=7)
    assert steps != plan(loads, ["A", "B"], rounds=3, seed=8)
    assert {step.target for step in steps[::2]} == {"A", "B"}


def measured(**changes):
    fields = {"records": 1000, "bytes": 1_000_000, "requests": 500, "seconds": 0.5}
    return Measurement(**{**fields, "client_cpu_s": 0.25, **changes})


@pytest.mark.parametrize(
    ("figure", "value"), [("MB/s", 2.0), ("records/s", 2000.0), ("requests/s", 1000.0)]
)
def test_a_rate_is_per_second_of_the_measurement(figure, value):
    assert measured().value(figure) == value


def test_broker_time_is_told_per_megabyte_and_per_request():
    it = measured(broker_cpu_s=0.01)
    assert it.broker_ms_per_mb == pytest.approx(10.0)
    assert it.broker_us_per_request == pytest.approx(20.0)
    assert measured().broker_ms_per_mb is None
    assert measured(requests=None, broker_cpu_s=0.01).broker_us_per_request is None


def test_a_summary_has_median_and_spread():
    rounds = [measured(seconds=seconds) for seconds in (1.0, 0.5, 0.25)]
    summary = summarize(LOADS["produce-1k"], rounds)
    assert summary.median == 2.0
    assert summary.spread == (4.0 - 1.0) / 2.0
    assert summary.client_cores == 0.5
    assert summary.broker_ms_per_mb is None


def results():
    return {
        ("produce-1k", "A"): [measured(broker_cpu_s=0.01)],
        ("produce-1k", "B"): [measured(seconds=1.0)],
        ("latency", "A"): [measured(p50_us=100.0, p99_us=900.0)],
    }


def test_the_table_shows_both_targets_and_their_ratio():
    output = io.StringIO()
    console = Console(file=output, width=100)
    print_table(console, summarize_all(results()), ["A", "B"])
    text = output.getvalue()
    row = next(line for line in text.splitlines() if "produce-1k" in line)
    assert "2.0 MB/s (0%)" in row
    assert "1.0 MB/s (0%)" in row
    assert "2.00x" in row
    assert "broker 10.00 ms/MB" in text
    assert "p99 900 µs" in text
    assert "raw-fetch-1m" not in text


def test_the_first_target_is_compared_with_each_other_one():
    output = io.StringIO()
    third = {("produce-1k", "C"): [measured(seconds=2.0)]}
    print_table(Console(file=output, width=140), summarize_all(results() | third), list("ABC"))
    text = output.getvalue()
    assert "ratio to B" in text
    assert "ratio to C" in text
    row = next(line for line in text.splitlines() if "produce-1k" in line)
    assert [word for word in row.split() if word.endswith("x")] == ["2.00x", "4.00x"]


def test_json_keeps_every_round(tmp_path):
    path = tmp_path / "bench.json"
    write_json(path, {"acks": "all"}, results(), summarize_all(results()), {"A": {"pids": [1]}})
    content = json.loads(path.read_text())
    assert content["conditions"] == {"acks": "all"}
    assert content["processes"] == {"A": {"pids": [1]}}
    first = content["loads"][0]
    assert (first["load"], first["target"], first["median"]) == ("produce-1k", "A", 2.0)
    assert first["rounds"][0]["bytes"] == 1_000_000


def test_percentiles_are_of_sorted_times():
    times = [number / 1e6 for number in range(100)]
    assert percentile_us(times, 0.5) == pytest.approx(50)
    assert percentile_us(times, 0.99) == pytest.approx(99)
    assert percentile_us(times[:1], 0.99) == pytest.approx(0)
    with pytest.raises(ReplayError):
        percentile_us([], 0.5)


def test_a_listening_process_is_found_by_its_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        assert listeners([port]) == {port: os.getpid()}
    assert listeners([port]) == {}


def test_processor_time_and_memory_of_a_process_are_known():
    assert cpu_seconds(os.getpid()) > 0
    assert 1 < resident_mib(os.getpid()) < 100_000


def test_a_process_that_is_no_more_has_neither():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    assert cpu_seconds(process.pid) is None
    assert resident_mib(process.pid) is None


def test_warm_memory_is_handed_out_in_time(tmp_path):
    with WarmMemory(tmp_path, 2) as memory:
        assert memory.held() == 2 << 20
        memory.hand_out(0.0)
        memory._thread.join(5)
        assert memory.held() == 0
    assert list(tmp_path.iterdir()) == []


def test_a_process_that_ends_before_it_is_ready_is_noticed():
    with ExitStack() as stack:
        process = subprocess.Popen(
            [sys.executable, "-c", "print('one')"], stdout=subprocess.PIPE, text=True
        )
        stack.callback(end, process)
        assert read_until(process, process.stdout, "ready") is None


def test_a_process_that_never_gets_ready_is_ended():
    process = subprocess.Popen(
        [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert read_until(process, process.stdout, "ready", timeout_s=0.05) is None
    end(process)
    assert process.returncode != 0


class Broker:
    """A broker for one topic `t`: takes every Produce, gives the same Fetch."""

    def __init__(self, error=ErrorCode.NONE, records=b"x" * 5000):
        self.error = error
        self.records = records
        self.produced = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.address = f"127.0.0.1:{self.port}"
        self.thread = threading.Thread(target=self.accept, daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join(5)

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection:
                self.serve(connection)

    def serve(self, connection):
        frames = FrameReader(1 << 22)
        while data := connection.recv(65536):
            for frame in frames.feed(data):
                header, body = decode_request(frame)
                answer = self.answer(body)
                for part in encode_response(header.correlation_id, answer, header.api_version):
                    connection.sendall(part)

    def answer(self, body):
        if isinstance(body, ApiVersionsRequest):
            keys = (ApiKey.API_VERSIONS, ApiKey.METADATA, ApiKey.PRODUCE, ApiKey.FETCH)
            return ApiVersionsResponse(api_keys=[ApiVersion(key, 0, 11) for key in keys])
        if isinstance(body, MetadataRequest):
            partition = MetadataResponsePartition(leader_id=1)
            topic = MetadataResponseTopic(name="t", partitions=[partition])
            broker = MetadataResponseBroker(1, "127.0.0.1", self.port)
            return MetadataResponse(brokers=[broker], topics=[topic])
        if isinstance(body, ProduceRequest):
            data = body.topic_data[0].partition_data[0]
            self.produced.append((body.acks, bytes(data.records)))
            response = PartitionProduceResponse(error_code=self.error)
            return ProduceResponse(
                responses=[TopicProduceResponse("t", partition_responses=[response])]
            )
        assert isinstance(body, FetchRequest)
        data = PartitionData(error_code=self.error, records=memoryview(self.records))
        return FetchResponse(responses=[FetchableTopicResponse(topic="t", partitions=[data])])


def test_a_produce_replay_sends_real_batches_again_and_again():
    load = LOADS["raw-produce-100b"]._replace(records_per_request=3)
    with Broker() as broker:
        replay = produce_replay(broker.address, "t", load, acks=-1)
        assert (replay.address, replay.version) == (("127.0.0.1", broker.port), 11)
        result = run_replay(replay, in_flight=1, seconds=60.0, max_bytes=3000)
    assert (result.requests, result.records, result.bytes) == (10, 30, 3000)
    assert 0 < result.p50_us <= result.p99_us
    acks, batch = broker.produced[0]
    assert acks == -1
    assert [len(record.value) for record in read_records(batch)] == [100, 100, 100]
    assert broker.produced == [broker.produced[0]] * 10


@pytest.mark.parametrize("in_flight", [1, 5])
def test_every_request_is_answered_before_a_replay_ends(in_flight):
    load = LOADS["raw-produce-100b"]
    with Broker() as broker:
        replay = produce_replay(broker.address, "t", load, acks=1)
        result = run_replay(replay, in_flight, seconds=60.0, max_bytes=2000)
        assert result.requests == len(broker.produced)
    assert 20 <= result.requests < 20 + in_flight


def test_a_replay_ends_when_its_time_is_over():
    with Broker() as broker:
        result = run_replay(
            fetch_replay(broker.address, "t"), 1, seconds=0.05, max_bytes=sys.maxsize
        )
    assert result.bytes == 5000 * result.requests > 0


@pytest.mark.parametrize(
    "make", [fetch_replay, lambda *args: produce_replay(*args, LOADS["raw-produce-100b"], 1)]
)
def test_an_error_of_the_broker_ends_a_replay_by_name(make):
    with Broker(error=ErrorCode.NOT_LEADER_OR_FOLLOWER) as broker:
        replay = make(broker.address, "t")
        with pytest.raises(ReplayError, match="NOT_LEADER_OR_FOLLOWER"):
            run_replay(replay, 1, seconds=60.0, max_bytes=1)


def test_a_fetch_that_brings_nothing_is_no_measurement():
    with Broker(records=b"") as broker:
        replay = fetch_replay(broker.address, "t")
        with pytest.raises(ReplayError, match="returned no records"):
            run_replay(replay, 1, seconds=60.0, max_bytes=1)


def test_a_connection_that_ends_is_told():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        replay = RequestReplay(listener.getsockname(), ApiKey.FETCH, 11, b"1234", 0, 0)

        def hang_up():
            connection, _ = listener.accept()
            connection.recv(4)
            connection.close()

        thread = threading.Thread(target=hang_up)
        thread.start()
        with pytest.raises(ReplayError, match="closed the connection"):
            run_replay(replay, 1, seconds=60.0, max_bytes=1)
        thread.join()


def test_a_worker_measures_what_it_is_told():
    job = {
        "load": "raw-produce-100b", "topic": "t", "partitions": 1, "acks": "1", "seconds": 60.0,
        "max_bytes": 500,
    }  # fmt: skip
    with Broker() as broker:
        told = json.dumps({**job, "bootstrap": broker.address}) + "\ngo\n"
        worker = subprocess.run(
            [sys.executable, "-m", "minikafka.bench.worker"],
            input=told, capture_output=True, text=True, check=True, timeout=30,
        )  # fmt: skip
    ready, line = worker.stdout.splitlines()
    assert ready == "ready"
    result = Measurement.from_json(json.loads(line))
    assert (result.requests, result.bytes) == (5, 500)
    assert result.client_cpu_s > 0


class PartitionsWithoutLeader:
    """A librdkafka whose first answers name no leader."""

    def __init__(self, *codes):
        self.codes = list(codes)

    def rd_kafka_query_watermark_offsets(self, _client, _topic, _partition, _low, high, _timeout):
        high._obj.value = 7
        return self.codes.pop(0) if self.codes else 0

    def rd_kafka_err2name(self, code):
        return ErrorCode(code).name.encode()


def native_client(library):
    client = object.__new__(NativeClient)
    client.library, client.handle, client.name, client.partitions = library, None, b"t", range(2)
    return client


def test_records_are_counted_when_each_partition_is_led():
    library = PartitionsWithoutLeader(
        ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    )
    assert native_client(library).record_count() == 14
    assert not library.codes


def test_another_error_ends_the_count():
    library = PartitionsWithoutLeader(ErrorCode.TOPIC_AUTHORIZATION_FAILED)
    with pytest.raises(ReplayError, match="TOPIC_AUTHORIZATION_FAILED"):
        native_client(library).record_count()


def test_a_worker_tells_why_it_cannot():
    with Broker(error=ErrorCode.NOT_ENOUGH_REPLICAS) as broker:
        job = ["raw-produce-100b", broker.address, "t", 1, "all", 1.0, 500]
        names = ["load", "bootstrap", "topic", "partitions", "acks", "seconds", "max_bytes"]
        worker = subprocess.run(
            [sys.executable, "-m", "minikafka.bench.worker"],
            input=json.dumps(dict(zip(names, job, strict=True))) + "\ngo\n",
            capture_output=True, text=True, check=False, timeout=30,
        )  # fmt: skip
    assert worker.returncode == 1
    assert json.loads(worker.stdout.splitlines()[-1]) == {
        "error": "the broker answered NOT_ENOUGH_REPLICAS"
    }
