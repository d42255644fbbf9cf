"""The Java programs of this folder: compiled on demand, with the jars of Apache Kafka.

`MINIKAFKA_ORACLE` names a folder with `fetch`, which prints where the jars are. Maven copies those
of Kafka Streams into a folder of the cache, once.
"""

import contextlib
import os
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "minikafka" / "java-tests"
ORACLE = "MINIKAFKA_ORACLE"
_STREAMS = "kafka-streams-*.jar"


class Programs:
    """A folder with the compiled programs; a context manager."""

    def __init__(self, *, streams=False):
        self._streams = streams
        self._stack = contextlib.ExitStack()
        self.folder = None
        self._path = []

    def __enter__(self):
        self.folder = Path(
            self._stack.enter_context(tempfile.TemporaryDirectory(prefix="java-tests-"))
        )
        fetch = Path(os.environ[ORACLE]) / "fetch"
        jars = subprocess.run([fetch], capture_output=True, text=True, check=True).stdout.strip()
        self._path = [str(self.folder), f"{jars}/*"]
        sources = [
            "Assignments.java", "ConsumerGroupChecks.java", "ExactlyOnce.java", "FaultClient.java",
            "TransactionChecks.java",
        ]  # fmt: skip
        if self._streams:
            self._path.append(f"{_streams_jars()}/*")
            sources.append("WordCount.java")
        compiler = [
            "javac",
            "-nowarn",
            "-Xlint:-removal",
            "-d",
            str(self.folder),
            "-cp",
            ":".join(self._path),
        ]
        subprocess.run([*compiler, *(str(HERE / each) for each in sources)], check=True)
        return self

    def __exit__(self, *_):
        self._stack.close()

    def command(self, program, *words):
        """The command line of a program."""
        options = ["-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
        return ["java", *options, "-cp", ":".join(self._path), program, *map(str, words)]

    def run(self, program, *words, timeout_s=600):
        """Run a program to its end; its output."""
        done = subprocess.run(
            self.command(program, *words), capture_output=True, text=True, timeout=timeout_s,
            check=False,
        )  # fmt: skip
        if done.returncode:
            raise ProgramError(f"{program} {words[0]}: {done.stdout[-2000:]}{done.stderr[-4000:]}")
        return done.stdout


class ProgramError(Exception):
    """A program ended with an error; the message has the end of its output."""


def _streams_jars():
    if not list(CACHE.glob(_STREAMS)):
        subprocess.run(
            ["mvn", "-q", "-B", "-f", str(HERE / "pom.xml"), "dependency:copy-dependencies",
             f"-DoutputDirectory={CACHE}"],
            check=True,
        )  # fmt: skip
    return CACHE
