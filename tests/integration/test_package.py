"""The wheel has every file of the package, and runs without the source tree."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MOST_S = 300


def run(*command, **options):
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=MOST_S, check=False, **options
    )
    assert not done.returncode, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def files():
    return run("git", "ls-files", cwd=ROOT).splitlines()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory, files):
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in files:
        if name.startswith("minikafka/") or "/" not in name:
            target = source / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((ROOT / name).read_bytes())
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(out), str(source))
    (found,) = out.iterdir()
    return found


@pytest.mark.timeout(MOST_S)
def test_it_has_each_file_of_the_package(wheel, files):
    package = {name for name in files if name.startswith("minikafka/")}
    sources_of_extensions = {name for name in package if name.endswith(".c")}
    there = set(zipfile.ZipFile(wheel).namelist())
    assert package - sources_of_extensions - there == set()


@pytest.mark.timeout(MOST_S)
def test_a_scenario_is_played_from_it(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path)
    out = run(
        sys.executable, "-m", "minikafka", "sim", "--scenario", "worked-example",
        cwd=tmp_path, env={"PYTHONPATH": str(tmp_path), "PATH": ""},
    )  # fmt: skip
    assert "leader 2, epoch 5, ISR 1,2,3,4" in out
