"""The examples, as their README says to run them.

Those of other languages run where the language is installed and its registry has the client; the
report of the run says which ones did not.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from minikafka.testing import Cluster

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
MOST_S = 600
"""A first build of the Rust client beside other tests takes minutes."""


class Language(NamedTuple):
    """The name of a folder, and the commands that get the client, build the example and run it."""

    name: str
    fetch: str
    build: str
    run: str

    @property
    def is_installed(self):
        return shutil.which(self.fetch.split()[0]) is not None


LANGUAGES = (
    Language("go", "go mod download", "go build -o example .", "./example"),
    Language(
        "java",
        "mvn -q dependency:build-classpath -Dmdep.outputFile=classpath",
        "mvn -q compile",
        "java -cp target/classes:$(cat classpath) Example",
    ),
    Language("node", "npm install --no-audit --no-fund", "true", "node main.js"),
    Language("rust", "cargo fetch", "cargo build", "target/debug/example"),
)


def shell(command, folder, **environ):
    return subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=os.environ | environ,
        capture_output=True,
        text=True,
        timeout=MOST_S,
        check=False,
    )


@pytest.mark.timeout(2 * MOST_S)
@pytest.mark.parametrize(
    "language", [each for each in LANGUAGES if each.is_installed], ids=lambda each: each.name
)
def test_other_languages(language, tmp_path, record_property):
    folder = tmp_path / language.name
    shutil.copytree(EXAMPLES / language.name, folder)
    fetched = shell(language.fetch, folder)
    if fetched.returncode:
        record_property("not run", f"{language.name}: {fetched.stderr or fetched.stdout}")
        return
    built = shell(language.build, folder)
    assert not built.returncode, built.stdout + built.stderr
    with Cluster(nodes=1) as cluster:
        ran = shell(language.run, folder, MINIKAFKA_BOOTSTRAP_SERVERS=cluster.bootstrap_servers)
    assert not ran.returncode, ran.stdout + ran.stderr
    assert ran.stdout == f"hello-from-{language.name}-0@0: hello\n"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("-m pytest -q -p no:cacheprovider -c /dev/null --rootdir=.", "4 passed"),
        ("-m unittest test_with_unittest", "Ran 1 test"),
        ("stream_with_pyspark.py", "|     2| third|"),
    ],
    ids=["pytest", "unittest", "pyspark"],
)
@pytest.mark.timeout(MOST_S)
def test_python(command, said, tmp_path):
    folder = tmp_path / "python"
    shutil.copytree(EXAMPLES / "python", folder)
    ran = shell(f"{sys.executable} {command}", folder, PYTHONPATH=str(ROOT))
    assert not ran.returncode, ran.stdout + ran.stderr
    assert said in ran.stdout + ran.stderr
