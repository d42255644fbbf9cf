import fcntl
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue

import pytest

from minikafka.harness.plan.settings import HarnessError
from minikafka.harness.spark import jars
from minikafka.harness.spark.jars import CONNECTOR, JarSource


def make_jar(folder, name, content=b"jar"):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)
    return folder / name


def test_without_a_cache_ivy_resolves_with_our_own_settings(tmp_path):
    source = JarSource.choose({"MINIKAFKA_CACHE": str(tmp_path)}, tmp_path)
    conf = source.spark_conf()
    assert conf["spark.jars.packages"] == CONNECTOR
    assert conf["spark.jars.ivy"] == str(tmp_path / "ivy")
    assert "<ibiblio" in source.ivy_settings.read_text()
    assert conf["spark.jars.ivySettings"] == str(source.ivy_settings)


def test_jars_that_ivy_resolved_are_reused_without_those_of_pyspark(tmp_path):
    environ = {"MINIKAFKA_CACHE": str(tmp_path)}
    bundled = tmp_path / "pyspark"
    make_jar(bundled, "slf4j-api-2.jar")
    ivy = tmp_path / "ivy" / "jars"
    connector = make_jar(ivy, "org.apache.spark_spark-sql-kafka-0-10_2.13-4.0.0.jar")
    other = make_jar(ivy, "org.slf4j_slf4j-api-2.jar")
    JarSource.choose(environ, tmp_path).remember(f"{connector.as_uri()},{other.as_uri()}", bundled)
    again = JarSource.choose(environ, tmp_path)
    assert again.jars == (connector,)
    assert again.spark_conf() == {"spark.jars": str(connector)}


def test_one_process_resolves_and_the_others_wait_for_its_list(tmp_path):
    """Two that fill Ivy's cache at the same time find each other's unfinished downloads."""
    environ = {"MINIKAFKA_CACHE": str(tmp_path)}
    connector = make_jar(tmp_path / "ivy" / "jars", "org.apache.spark_kafka-1.jar")

    def second():
        with jars.chosen(environ, tmp_path) as source:
            return source.jars

    with ThreadPoolExecutor(1) as threads:
        with jars.chosen(environ, tmp_path) as first:
            assert first.jars == ()
            waiting = threads.submit(second)
            with (tmp_path / "resolving.lock").open("w") as lock, pytest.raises(BlockingIOError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            first.remember(connector.as_uri(), tmp_path / "pyspark")
        assert waiting.result(30) == (connector,)


@pytest.mark.parametrize("is_long", [False, True])
def test_a_long_wait_for_another_process_is_reported(tmp_path, monkeypatch, *, is_long):
    monkeypatch.setattr(jars, "SILENT_WAIT_S", 0.01 if is_long else 60)
    environ = {"MINIKAFKA_CACHE": str(tmp_path)}
    phases = SimpleQueue()

    def second():
        with jars.chosen(environ, tmp_path, on_phase=phases.put):
            return True

    with ThreadPoolExecutor(1) as threads:
        with jars.chosen(environ, tmp_path, on_phase=phases.put):
            waiting = threads.submit(second)
            if is_long:
                said = phases.get(timeout=30)
                assert "waiting for another run" in said
                assert said.endswith(str(tmp_path / "resolving.lock"))
        assert waiting.result(30)
    assert phases.qsize() == is_long
    if is_long:
        assert phases.get() == "starting Spark"


def test_a_cache_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    environ = {"MINIKAFKA_CACHE": str(tmp_path / "file" / "cache")}
    said = "file/cache: Not a directory; name another folder"
    with pytest.raises(HarnessError, match=said), jars.chosen(environ, tmp_path):
        pass


@pytest.mark.parametrize("harm", ["change", "remove", "garbage"])
def test_a_cache_that_differs_from_its_list_is_not_used(tmp_path, harm):
    jar = make_jar(tmp_path / "ivy" / "jars", "g_a-1.jar")
    jars.write_list(tmp_path, [jar])
    assert jars.read_list(tmp_path) == [jar]
    if harm == "change":
        jar.write_bytes(b"another")
    elif harm == "remove":
        jar.unlink()
    else:
        next(tmp_path.glob("*.json")).write_text('{"jars": 3')
    assert jars.read_list(tmp_path) == []


def test_jars_named_by_the_environment_come_first_and_are_not_noted(tmp_path):
    one, two = make_jar(tmp_path, "1.jar"), make_jar(tmp_path, "2.jar")
    environ = {"MINIKAFKA_CACHE": str(tmp_path), "MINIKAFKA_SPARK_JARS": f"{one}, {two}"}
    source = JarSource.choose(environ, tmp_path)
    assert source.spark_conf() == {"spark.jars": f"{one},{two}"}
    source.remember("", tmp_path)
    assert jars.read_list(tmp_path) == []


@pytest.mark.parametrize("name", ["MINIKAFKA_SPARK_JARS", "MINIKAFKA_IVY_SETTINGS"])
def test_a_named_file_that_is_missing_is_refused(tmp_path, name):
    with pytest.raises(HarnessError, match=f"{name} names .*/gone, which is not a file"):
        JarSource.choose({name: str(tmp_path / "gone")}, tmp_path)


def test_the_cache_is_where_the_user_keeps_caches(tmp_path):
    assert jars.cache_folder({}, tmp_path) == tmp_path / ".cache" / "minikafka"
    assert jars.cache_folder({"XDG_CACHE_HOME": "/x"}, tmp_path).as_posix() == "/x/minikafka"
    assert jars.cache_folder({"MINIKAFKA_CACHE": "/y"}, tmp_path).as_posix() == "/y"


def test_a_failed_resolution_names_the_artifact_and_the_remedies():
    log = (
        ":: problems summary ::\n"
        "\tmodule not found: org.apache.spark#spark-token-provider-kafka-0-10_2.13;4.0.0\n"
        "\t:: org.apache.spark#spark-token-provider-kafka-0-10_2.13;4.0.0: not found\n"
        'Exception in thread "main" java.lang.RuntimeException: [unresolved dependency: '
        "org.apache.spark#spark-token-provider-kafka-0-10_2.13;4.0.0: not found]\n"
    )
    said = jars.explain_failure(log)
    assert "org.apache.spark:spark-token-provider-kafka-0-10_2.13:4.0.0 is missing" in said
    assert "--jars DIR" in said
    assert "MINIKAFKA_IVY_SETTINGS" in said


def test_a_failed_download_is_explained_too():
    log = (
        "\t[FAILED     ] org.apache.commons#commons-pool2;2.12.0!commons-pool2.jar:  (0ms)\n"
        "\t\t::              FAILED DOWNLOADS            ::\n"
    )
    assert "org.apache.commons:commons-pool2:2.12.0 is missing" in jars.explain_failure(log)


def test_a_log_without_a_failed_resolution_explains_nothing():
    assert (
        jars.explain_failure(":: resolution report :: resolve 9243ms\n26/11/21 WARN Utils") is None
    )


def test_a_folder_with_the_jars_needs_no_network(tmp_path):
    folder = tmp_path / "jars"
    for artifact in jars.NEEDED:
        make_jar(folder, f"{artifact}-4.0.0.jar")
    make_jar(folder, "org.apache.kafka_kafka-clients-4.1.0.jar")
    make_jar(folder, "other-1.jar")
    environ = {"MINIKAFKA_SPARK_JARS": "/gone.jar", "MINIKAFKA_CACHE": str(tmp_path)}
    source = JarSource.choose(environ, tmp_path, folder)
    assert [path.name for path in source.jars] == [
        "spark-sql-kafka-0-10_2.13-4.0.0.jar",
        "spark-token-provider-kafka-0-10_2.13-4.0.0.jar",
        "org.apache.kafka_kafka-clients-4.1.0.jar",
        "commons-pool2-4.0.0.jar",
    ]


def test_a_folder_without_one_of_the_jars_is_refused_with_its_name(tmp_path):
    make_jar(tmp_path / "jars", "spark-sql-kafka-0-10_2.13-4.0.0.jar")
    with pytest.raises(HarnessError, match=r"has no spark-token-provider-kafka-0-10_2\.13-VERS"):
        JarSource.choose({}, tmp_path, tmp_path / "jars")
