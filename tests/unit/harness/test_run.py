import io
import json
import os
import signal
import threading

import pytest
from rich.console import Console

from minikafka.harness import run as run_module
from minikafka.harness.run import Run
from minikafka.harness.schedule import Schedule
from minikafka.harness.settings import RunFiles, RunSettings


def test_the_first_interrupt_is_noted_and_the_second_gives_up():
    interrupted = threading.Event()
    before = signal.getsignal(signal.SIGINT)
    with run_module._interrupts(interrupted):
        os.kill(os.getpid(), signal.SIGTERM)
        assert interrupted.is_set()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_cluster_that_is_not_there_leads_to_an_undecided_verdict_and_a_page(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("MINIKAFKA_SPARK_JARS", str(tmp_path / "gone.jar"))
    files = RunFiles(tmp_path / "out")
    files.prepare()
    settings = RunSettings(bootstrap_servers="127.0.0.1:1", out=files.root, seed=4)
    run = Run(settings, Schedule(faults=()), files, Console(file=io.StringIO()), "17")
    run.carry_out()
    verdict = run.conclude()
    assert verdict["exit_status"] == 2
    assert "no bootstrap server takes a connection" in verdict["sentence"]
    assert json.loads(files.verdict.read_text()) == verdict
    assert "no bootstrap server" in files.report.read_text()
    assert not run.spark.is_running
