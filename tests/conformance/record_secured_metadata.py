"""Record the metadata log of a real Apache Kafka that has ACLs, quotas and SCRAM credentials.

A developer's tool, not a test: MINIKAFKA_ORACLE=DIR python tests/conformance/record_secured_metadata.py
where DIR has the scripts kafka-cluster and kafka-run-class. Replaces
tests/conformance/data/secured_metadata: the log, and the newest snapshot that Kafka made of it.
Delegation tokens are not in it: Kafka gives none over a plain-text listener.
"""

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

ORACLE = Path(os.environ["MINIKAFKA_ORACLE"])
DATA = Path(__file__).parent / "data" / "secured_metadata"
PORT = 22150
BOOTSTRAP = f"127.0.0.1:{PORT}"
SETTINGS = (
    "authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users=User:ANONYMOUS",
    "metadata.log.max.snapshot.interval.ms=3000",
)
ACLS = "org.apache.kafka.tools.AclCommand"
CONFIGS = "kafka.admin.ConfigCommand"
READER = ("--allow-principal", "User:reader", "--operation", "Read")
COMMANDS = (
    (ACLS, "--add", *READER, "--topic", "t"),
    (ACLS, "--add", *READER, "--group", "g", "--resource-pattern-type", "prefixed"),
    (ACLS, "--add", "--deny-principal", "User:intruder", "--operation", "All", "--cluster"),
    (ACLS, "--remove", "--force", *READER, "--topic", "t"),
    (CONFIGS, "--alter", "--entity-type", "users", "--entity-name", "alice",
     "--add-config", "SCRAM-SHA-256=[password=secret]"),
    (CONFIGS, "--alter", "--entity-type", "users", "--entity-name", "alice",
     "--add-config", "SCRAM-SHA-512=[password=secret]"),
    (CONFIGS, "--alter", "--entity-type", "users", "--entity-name", "bob",
     "--add-config", "SCRAM-SHA-256=[password=secret]"),
    (CONFIGS, "--alter", "--entity-type", "users", "--entity-name", "bob",
     "--delete-config", "SCRAM-SHA-256"),
    (CONFIGS, "--alter", "--entity-type", "users", "--entity-name", "alice",
     "--entity-type", "clients", "--entity-name", "c",
     "--add-config", "producer_byte_rate=1024,consumer_byte_rate=2048"),
    (CONFIGS, "--alter", "--entity-type", "users", "--entity-name", "alice",
     "--entity-type", "clients", "--entity-name", "c", "--delete-config", "consumer_byte_rate"),
    (CONFIGS, "--alter", "--entity-type", "clients", "--entity-default",
     "--add-config", "request_percentage=50"),
)  # fmt: skip


def main() -> None:
    home = Path(tempfile.mkdtemp(prefix="oracle-"))
    given = [part for setting in SETTINGS for part in ("--config", setting)]
    run("kafka-cluster", "start", "--dir", home, "--nodes", "1", "--base-port", PORT, *given)
    try:
        for tool, *options in COMMANDS:
            run("kafka-run-class", tool, "--bootstrap-server", BOOTSTRAP, *options)
        time.sleep(8)  # the snapshot generator runs
        run("kafka-cluster", "stop", "--dir", home)
        copy(next(home.glob("node-*/data")) / "__cluster_metadata-0")
    finally:
        run("kafka-cluster", "delete", "--dir", home)


def run(script: str, *arguments: object) -> None:
    subprocess.run([ORACLE / script, *map(str, arguments)], check=True)


def copy(folder: Path) -> None:
    shutil.rmtree(DATA, ignore_errors=True)
    DATA.mkdir()
    newest = max(folder.glob("*.checkpoint"))
    for path in (*folder.glob("*.log"), newest):
        shutil.copy(path, DATA)


if __name__ == "__main__":
    main()
