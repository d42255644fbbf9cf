import stat

import pytest

from minikafka.harness import preflight
from minikafka.harness.settings import HarnessError


def java(folder, said, status=0):
    path = folder / "bin" / "java"
    path.parent.mkdir()
    path.write_text(f"#!/bin/sh\necho '{said}' >&2\nexit {status}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return {"JAVA_HOME": str(folder)}


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ('openjdk version "17.0.15" 2025-04-15', (17, "17.0.15")),
        ('openjdk version "21" 2023-09-19', (21, "21")),
        ('java version "1.8.0_402"', (8, "1.8.0_402")),
        ('openjdk version "22-ea" 2024-03-19', (22, "22-ea")),
        ("sh: java: not found", None),
    ],
)
def test_the_version_is_read_out_of_what_java_says(said, expected):
    assert preflight.parse_java_version(said) == expected


def test_a_java_that_is_new_enough_is_taken(tmp_path):
    assert preflight.java_version(java(tmp_path, 'openjdk version "17.0.1"')) == "17.0.1"


def test_an_old_java_is_refused_with_what_is_needed(tmp_path):
    with pytest.raises(HarnessError, match=r"needs Java 17 or newer, and .*java is 11\.0\.2"):
        preflight.java_version(java(tmp_path, 'openjdk version "11.0.2"'))


def test_a_java_that_does_not_run_is_refused(tmp_path):
    with pytest.raises(HarnessError, match="does not run"):
        preflight.java_version(java(tmp_path, "no", status=1))
    with pytest.raises(HarnessError, match="does not run"):
        preflight.java_version({"JAVA_HOME": str(tmp_path / "gone")})


def test_no_java_at_all_is_one_clear_sentence(tmp_path):
    with pytest.raises(HarnessError, match="there is no java on the PATH"):
        preflight.java_version({"PATH": str(tmp_path)})


def test_a_missing_package_names_the_extra():
    preflight.require_packages(lambda _: object())
    with pytest.raises(HarnessError, match=r"needs pyspark, which .*minikafka\[verify\]"):
        preflight.require_packages(lambda name: None if name == "pyspark" else object())
