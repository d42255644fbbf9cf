import stat
from pathlib import Path

import pytest

from minikafka.harness import preflight
from minikafka.harness.plan.settings import HarnessError, RunSettings


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
def test_the_version_is_read_from_javas_output(said, expected):
    assert preflight.parse_java_version(said) == expected


def test_a_java_that_is_new_enough_is_taken(tmp_path):
    assert preflight.java_version(java(tmp_path, 'openjdk version "17.0.1"')) == "17.0.1"


def test_an_old_java_is_refused_with_the_required_version(tmp_path):
    with pytest.raises(HarnessError, match=r"needs Java 17 or newer, but .*java is 11\.0\.2"):
        preflight.java_version(java(tmp_path, 'openjdk version "11.0.2"'))


def test_a_java_that_does_not_run_is_refused(tmp_path):
    with pytest.raises(HarnessError, match="cannot be run"):
        preflight.java_version(java(tmp_path, "no", status=1))
    with pytest.raises(HarnessError, match="cannot be run"):
        preflight.java_version({"JAVA_HOME": str(tmp_path / "gone")})


def test_no_java_at_all_is_one_clear_sentence(tmp_path):
    with pytest.raises(HarnessError, match="there is no java on the PATH"):
        preflight.java_version({"PATH": str(tmp_path)})


def test_a_missing_package_names_the_extra():
    preflight.require_packages("spark", lambda _: object())
    for engine, package, extra in (
        ("spark", "pyspark", "verify"),
        ("local", "duckdb", "verify-local"),
    ):
        said = rf"needs {package}; install .*minikafka\[{extra}\]"
        with pytest.raises(HarnessError, match=said):
            preflight.require_packages(
                engine, lambda name, gone=package: None if name == gone else object()
            )


def test_the_local_engine_needs_no_java(monkeypatch, tmp_path):
    monkeypatch.setattr(preflight, "require_packages", lambda *_: None)
    assert preflight.check("local", {"PATH": str(tmp_path)}) == ""
    with pytest.raises(HarnessError, match="there is no java on the PATH"):
        preflight.check("spark", {"PATH": str(tmp_path)})
    preflight.check_run(RunSettings(engine="local"), {"MINIKAFKA_SPARK_JARS": "/gone.jar"})


def test_a_run_whose_parts_are_there_may_begin(tmp_path):
    (tmp_path / "kafka-cluster").touch()
    preflight.check_run(RunSettings(kafka_tools=tmp_path), {})


@pytest.mark.parametrize(
    ("settings", "environ", "sentence"),
    [
        (RunSettings(bootstrap_servers="127.0.0.1:1"), {}, "no bootstrap server accepts a connect"),
        (RunSettings(kafka_tools=Path("/nowhere")), {}, "the folder has no script kafka-cluster"),
        (RunSettings(jars=Path("/nowhere")), {}, "--jars /nowhere has no spark-sql-kafka-0-10"),
        (RunSettings(), {"MINIKAFKA_SPARK_JARS": "/gone.jar"}, "/gone.jar, which is not a file"),
        (RunSettings(), {"MINIKAFKA_IVY_SETTINGS": "/gone.xml"}, "/gone.xml, which is not a file"),
    ],
)
def test_a_missing_requirement_is_one_sentence(settings, environ, sentence):
    with pytest.raises(HarnessError, match=sentence):
        preflight.check_run(settings, environ)


def test_unavailable_namespaces_are_reported_with_the_remedy(monkeypatch):
    monkeypatch.setattr(preflight.NamespaceNetwork, "problem", lambda _: "not permitted")
    with pytest.raises(HarnessError, match="not permitted; use --network proxy"):
        preflight.check_run(RunSettings(network="namespaces"), {})
