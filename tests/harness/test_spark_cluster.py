"""S4: the same run and the same verdict on a standalone Spark cluster, by spark-submit as well."""

import json
import os
import subprocess
import sys
import threading
from contextlib import ExitStack
from pathlib import Path

import pyspark
import pytest

from minikafka.harness import preflight
from minikafka.harness.clusters.cluster import free_port_range

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

SPARK = Path(pyspark.__file__).parent
PROJECT = Path(__file__).parent.parent.parent
MASTER = "org.apache.spark.deploy.master.Master"
WORKER = "org.apache.spark.deploy.worker.Worker"


# In a minute, the second compiler and more than one thread for garbage cost more than they give.
JVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


@pytest.fixture(scope="module")
def environ(tmp_path_factory):
    """Variables for each process of Spark: its addresses, and options of its JVMs."""
    folder = tmp_path_factory.mktemp("spark-conf")
    names = ("spark.driver.extraJavaOptions", "spark.executor.extraJavaOptions")
    (folder / "spark-defaults.conf").write_text("".join(f"{name} {JVM}\n" for name in names))
    return {
        **os.environ,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_CONF_DIR": str(folder),
        "SPARK_DAEMON_JAVA_OPTS": JVM,
    }


@pytest.fixture(scope="module")
def spark_cluster(environ, tmp_path_factory):
    """A master and a worker with two cores, each a process; the master's URL."""
    preflight.java_version(os.environ)
    folder = tmp_path_factory.mktemp("spark-cluster")
    port = free_port_range(3)
    url = f"spark://127.0.0.1:{port}"
    environ = {
        **environ,
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_WORKER_DIR": str(folder / "work"),
    }
    master = ["--port", str(port), "--webui-port", str(port + 1)]
    worker = ["--cores", "2", "--memory", "2g", "--webui-port", str(port + 2), url]
    with ExitStack() as running:
        for daemon, words, sign in (
            (MASTER, master, "New state: ALIVE"),
            (WORKER, worker, "Successfully registered with master"),
        ):
            process = running.enter_context(
                subprocess.Popen(
                    [SPARK / "bin" / "spark-class", daemon, "--host", "127.0.0.1", *words],
                    stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env=environ,
                )
            )  # fmt: skip
            running.callback(process.kill)
            said = []
            for line in process.stderr:
                said.append(line)
                if sign in line:
                    break
            else:
                pytest.fail(f"{daemon} did not start:\n{''.join(said)}")
            # Keep reading: a full pipe would block the daemon.
            threading.Thread(target=process.stderr.read, daemon=True).start()
        yield url


@pytest.fixture(scope="module")
def run(spark_cluster, environ, tmp_path_factory):
    """A run of `minikafka verify` whose Spark is that cluster."""
    out = tmp_path_factory.mktemp("verified") / "run"
    done = subprocess.run(
        [sys.executable, "-m", "minikafka.cli.verify", "--master", spark_cluster, "--seed", "7",
         "--seconds", "12", "--rate", "400", "--partitions", "3", "--out", str(out)],
        capture_output=True, text=True, check=False, env=environ,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return out


def test_a_run_on_a_spark_cluster_is_verified(run):
    verdict = json.loads((run / "verdict.json").read_text())
    assert verdict["outcome"] == "verified"
    assert verdict["settings"]["master"].startswith("spark://")
    assert verdict["counts"]["read_afresh"] >= verdict["counts"]["acknowledged"] > 1000
    assert [fault["problem"] for fault in verdict["faults"]] == [""]


def test_spark_submit_judges_the_same(run, spark_cluster, environ, tmp_path):
    """The package goes as an archive; executors read the ledgers through the data source."""
    packed = tmp_path / "minikafka.zip"
    subprocess.run(
        [sys.executable, "-m", "minikafka", "judge", "--archive", str(packed)], check=True
    )
    done = subprocess.run(
        [SPARK / "bin" / "spark-submit", "--master", spark_cluster, "--py-files", str(packed),
         PROJECT / "bin" / "minikafka-judge.py", run, "--out", tmp_path / "again"],
        capture_output=True, text=True, check=False, cwd=tmp_path,
        env={**environ, "PYSPARK_PYTHON": sys.executable},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    first = json.loads((run / "verdict.json").read_text())
    again = json.loads((tmp_path / "again" / "judged.json").read_text())
    assert again["counts"] == {name: first["counts"][name] for name in again["counts"]}
    assert "every promise was kept" in done.stdout


def test_a_verdict_is_not_repeated_blindly(run, tmp_path):
    """One record less than then, in a copy: what was verified is not any more, and nothing else."""
    import pyarrow.parquet as pq

    copy = tmp_path / "copy"
    subprocess.run(["cp", "-r", str(run), str(copy)], check=True)
    part = max((copy / "reread.parquet").glob("*.parquet"), key=lambda path: path.stat().st_size)
    table = pq.read_table(part)
    pq.write_table(table.slice(1), part)
    for checksum in (copy / "reread.parquet").glob(".*.crc"):
        checksum.unlink()
    done = subprocess.run(
        [sys.executable, "-m", "minikafka", "judge", str(copy), "--out", str(tmp_path / "again")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stdout + done.stderr
    assert "lost: 1\n" in done.stdout or "vanished: 1\n" in done.stdout
    assert "skipped" not in done.stdout
