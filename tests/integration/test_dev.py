"""minikafka dev, as a person uses it."""

import signal
import subprocess
import sys

from minikafka.testing.base_ports import free_base_port


def test_two_lines_then_ctrl_c_is_a_controlled_shutdown(tmp_path):
    base = free_base_port(2)
    command = [
        sys.executable, "-m", "minikafka", "dev", "--nodes", "2",
        "--base-port", str(base), "--dir", str(tmp_path / "cluster"),
    ]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == (
            f"bootstrap.servers=127.0.0.1:{base},127.0.0.1:{base + 1}\n"
        )
        assert process.stdout.readline() == "ready\n"
        assert process.stdout.readline().startswith("node 1 leads the quorum, epoch ")
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 0
    for node in (1, 2):
        assert (tmp_path / "cluster" / f"node-{node}" / "data" / ".kafka_cleanshutdown").exists()
        assert not (tmp_path / "cluster" / f"node-{node}.pid").exists()
