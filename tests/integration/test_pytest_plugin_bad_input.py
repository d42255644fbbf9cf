"""The pytest plugin in surroundings that are wrong: one sentence, and nothing is left."""

import os
import re
import signal
import socket
import sys
import textwrap
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]
OPTIONS = ("-p", "no:cacheprovider", "-p", "no:randomly")


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The folder for temporary files of the runs."""
    folder = tmp_path / "für Dateien"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


@pytest.fixture
def run(pytester, monkeypatch, temporary):
    """Write a test module, run it, and return the result."""
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)

    def run(source, *options, conftest="", prefix=(), ini=""):
        pytester.makepyfile(source)
        pytester.makeconftest(conftest)
        pytester.makeini(f"[pytest]\nasyncio_default_fixture_loop_scope = function\n{ini}")
        return pytester.run(*prefix, sys.executable, "-m", "pytest", *OPTIONS, *options)

    return run


def left(folder):
    """What clusters have left in a folder, except the locks of ports."""
    return [path.name for path in folder.iterdir() if path.name.startswith("minikafka-")]


def processes_of(folder):
    """The processes that have a file in a folder open, or its path on their command line."""
    name, found = str(folder), []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            files = [str(each.readlink()) for each in (process / "fd").iterdir()]
            files.append((process / "cmdline").read_text())
        except OSError:  # it has ended
            continue
        if int(process.name) != os.getpid() and any(name in each for each in files):
            found.append(int(process.name))
    return found


def reasons(result):
    """The lines of the report of an error, without the title."""
    text = result.stdout.str()
    between = re.findall(r"_ ERROR at setup of [^ ]+ _+\n(.*?)\n(?=_|=)", text, re.DOTALL)
    return [line for part in between for line in part.splitlines() if line[0] != "["]


USE = "def test_use(minikafka, kafka_topic): minikafka.produce(kafka_topic, 'a')"


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--minikafka-dir", "conftest.py"), "conftest.py is a file; name a directory or a new"),
        (("--minikafka-config", "num.partition=3"), "num.partition: unknown broker configuration"),
        (("--minikafka-port", "PORT"), "in use: PLAINTEXT://127.0.0.1:PORT of node 1"),
        (("--minikafka-log-level", "loud"), "log_level='loud': expected one of DEBUG, INFO, W"),
        (("--minikafka-client", "kfk"), "--minikafka-client kfk: expected one of confluent-kafka"),
    ],
)
def test_a_setting_that_no_cluster_starts_with_is_one_line(run, temporary, options, reason):
    source = USE.replace("minikafka, ", "minikafka, kafka_admin, ")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = run(source, *(each.replace("PORT", port) for each in options))
    result.assert_outcomes(errors=1)
    assert len(reasons(result)) == 1
    assert reason.replace("PORT", port) in reasons(result)[0]
    assert left(temporary) == []
    assert processes_of(temporary) == []


def test_a_marker_without_meaning_is_one_line(run):
    result = run(
        """
        import pytest

        OPTIONS = [{"node": 3}, {"release": "9"}, {"config": 5}, {"base_port": "1"}]
        MARKS = [pytest.param(marks=pytest.mark.minikafka(**each)) for each in OPTIONS]
        MARKS.append(pytest.param(marks=pytest.mark.minikafka(3)))

        @pytest.mark.parametrize((), MARKS)
        def test_use(minikafka): pass

        @pytest.mark.parametrize((), MARKS)
        def test_use_alone(minikafka_cluster): pass
        """
    )
    result.assert_outcomes(errors=10)
    starts = [
        "@pytest.mark.minikafka: node is no setting of a cluster; there are nodes, base_port",
        "release '9': expected one of 3.3-IV3, ",
        "@pytest.mark.minikafka: config=5: expected a mapping of key to value",
        "@pytest.mark.minikafka: base_port='1': not a number",
        "@pytest.mark.minikafka: give the settings by their names",
    ]
    found = reasons(result)
    assert len(found) == 10
    assert all(map(str.startswith, found, starts * 2))


@pytest.mark.parametrize("factory", ["minikafka_proc", "minikafka_cluster"])
def test_a_setting_that_a_factory_does_not_have_is_named(run, factory):
    result = run(
        f"""
        from minikafka.pytest_plugin import factories

        wrong = factories.{factory}(advertised="kafka")

        def test_without_it(): pass
        """
    )
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["*the factory of the fixture: advertised is no setting of a cluster; there are nodes, *"]
    )


@pytest.mark.parametrize("options", [("-n", "0"), ("-n", "1"), ("-n", "1", "--minikafka-shared")])
def test_a_runner_that_may_open_few_files_is_told(run, temporary, options):
    result = run(USE, *options, prefix=("prlimit", "--nofile=64"))
    reason = "minikafka: node 1 did not start: the limit on open files is 64"
    if "--minikafka-shared" in options:
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        assert f"ERROR: {reason}" in result.stderr.str()
    else:
        result.assert_outcomes(errors=1)
        assert reasons(result)[0].startswith(reason)
    assert left(temporary) == []
    assert processes_of(temporary) == []


def test_tests_of_event_loops_use_the_fixtures(run, temporary):
    run(
        """
        import asyncio, pytest, uvloop

        def test_inside(minikafka, kafka_topic):
            async def use():
                minikafka.produce(kafka_topic, "a")
                return len(minikafka.records(kafka_topic))

            assert asyncio.run(use()) == 1
            assert uvloop.run(use()) == 2

        @pytest.mark.asyncio
        async def test_pytest_asyncio(minikafka, kafka_topic):
            minikafka.produce(kafka_topic, "a")
            # The loop of the test runs; another one runs in a thread.
            await asyncio.to_thread(asyncio.run, asyncio.sleep(0))
            assert len(minikafka.records(kafka_topic)) == 1

        @pytest.mark.anyio
        @pytest.mark.parametrize("anyio_backend", ["asyncio"])
        async def test_anyio(minikafka, kafka_topic):
            minikafka.produce(kafka_topic, "a")
        """,
        "-W", "error",
    ).assert_outcomes(passed=3)  # fmt: skip
    assert left(temporary) == []


def test_forked_processes_use_the_fixtures_and_break_nothing(run, temporary):
    run(
        """
        import multiprocessing, os, sys

        def use(kafka, topic):
            kafka.produce(topic, "b")

        def test_fork(minikafka, kafka_topic):
            child = os.fork()
            if child == 0:
                status = 1
                try:
                    use(minikafka, kafka_topic)
                    status = 0
                finally:
                    os._exit(status)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
            assert len(minikafka.records(kafka_topic)) == 1

        def test_multiprocessing(minikafka, kafka_topic):
            context = multiprocessing.get_context("fork")
            child = context.Process(target=use, args=(minikafka, kafka_topic))
            child.start()
            child.join()
            assert child.exitcode == 0
            assert len(minikafka.records(kafka_topic)) == 1

        def test_still_there(minikafka_proc):
            assert minikafka_proc.running == [1]
            assert minikafka_proc.directory.is_dir()
        """
    ).assert_outcomes(passed=3)
    assert left(temporary) == []
    assert processes_of(temporary) == []


def test_the_first_use_may_be_in_a_forked_process(run, temporary):
    """As with pytest-forked: the child sets up the fixtures, and ends without a teardown."""
    run(
        """
        import os, pytest

        @pytest.fixture
        def in_child():
            child = os.fork()
            if child:
                pytest.skip(f"status {os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}")

        def test_in_child(in_child, minikafka, kafka_topic):
            minikafka.produce(kafka_topic, "a")
            os._exit(len(minikafka.records(kafka_topic)))

        def test_in_parent(minikafka, kafka_topic):
            minikafka.produce(kafka_topic, "a")
        """,
        "-rs",
    ).assert_outcomes(skipped=1, passed=1)
    # The start of the parent's cluster has removed the folder of the child's.
    assert left(temporary) == []
    assert processes_of(temporary) == []


def test_paths_with_spaces_and_umlauts(run, temporary):
    run(
        """
        def test_use(minikafka, kafka_topic):
            minikafka.produce(kafka_topic, "a")
            assert "Müller & Söhne" in str(minikafka.directory)
        """,
        "--minikafka-dir", "Müller & Söhne/daten",
    ).assert_outcomes(passed=1)  # fmt: skip
    assert left(temporary) == []


@pytest.mark.parametrize("variable", ["", "1"])
def test_a_plugin_that_is_named_is_loaded_once(run, monkeypatch, variable):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", variable)
    run(USE, "-p", "minikafka").assert_outcomes(passed=1)


def test_fixtures_of_the_user_replace_those_of_the_plugin(run):
    run(
        """
        def test_nodes(minikafka, minikafka_proc):
            assert minikafka is minikafka_proc
            assert minikafka.nodes == 2
            assert minikafka.topics() == ["always"]

        def test_others(kafka_topic, kafka_bootstrap_servers):
            assert kafka_topic == "a name of their own"
            assert kafka_bootstrap_servers.count(",") == 1
        """,
        conftest="""
        import pytest
        from minikafka.testing import Cluster

        @pytest.fixture(scope="session")
        def minikafka_proc():
            with Cluster(nodes=2) as cluster:
                yield cluster

        @pytest.fixture
        def minikafka(minikafka):
            minikafka.create_topic("always")
            return minikafka

        @pytest.fixture
        def kafka_topic():
            return "a name of their own"
        """,
    ).assert_outcomes(passed=2)


@pytest.mark.parametrize("method", ["signal", "thread"])
def test_a_test_that_does_not_end_leaves_no_process(run, temporary, method):
    result = run(
        """
        import time

        def test_waits(minikafka, kafka_topic):
            time.sleep(600)
        """,
        "--timeout", "3", "--timeout-method", method,
    )  # fmt: skip
    assert result.ret == 1
    assert "Timeout" in result.stdout.str()
    await_no_process(temporary)
    # The thread ends the whole run at once; the next one removes the folder.
    assert len(left(temporary)) == (method == "thread")
    run(USE).assert_outcomes(passed=1)
    assert left(temporary) == []


def await_no_process(folder):
    """Wait until no process uses a folder; the timeout of the test is the limit."""
    while processes_of(folder):
        os.sched_yield()


def test_an_alarm_that_ends_the_run_leaves_no_process(run, temporary):
    result = run(
        """
        import signal, time

        def test_waits(minikafka, kafka_topic):
            signal.alarm(1)
            time.sleep(600)
        """
    )
    assert result.ret == -signal.SIGALRM
    await_no_process(temporary)
    run(USE).assert_outcomes(passed=1)
    assert left(temporary) == []


CTRL_C = """
import os, signal

# A shell starts commands in the background with an interrupt that is ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)

def ctrl_c(): os.kill(os.getpid(), signal.SIGINT)
"""
INTERRUPTED = {
    "start of processes": """
        from minikafka.testing import processes

        usual = processes.NodeProcesses._await_ready

        def interrupted(self, started, *others):
            ctrl_c()
            usual(self, started, *others)

        processes.NodeProcesses._await_ready = interrupted
    """,
    "end of processes": """
        from minikafka.testing import processes

        usual = processes.NodeProcesses.kill

        def interrupted(self, nodes):
            if nodes:
                processes.NodeProcesses.kill = usual
                ctrl_c()
            usual(self, nodes)

        processes.NodeProcesses.kill = interrupted
    """,
    "removal of the folder": """
        import shutil

        usual = shutil.rmtree

        def interrupted(path, *others, **options):
            if "minikafka-" in str(path):
                shutil.rmtree = usual
                ctrl_c()
            usual(path, *others, **options)

        shutil.rmtree = interrupted
    """,
    "cleaning after a test": """
        from minikafka.testing import Cluster

        usual = Cluster.heal

        def interrupted(self):
            ctrl_c()
            usual(self)

        Cluster.heal = interrupted
    """,
}


@pytest.mark.parametrize("where", INTERRUPTED)
def test_ctrl_c_in_a_fixture_leaves_nothing(run, temporary, where):
    result = run(USE, conftest=CTRL_C + textwrap.dedent(INTERRUPTED[where]))
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert "KeyboardInterrupt" in result.stdout.str()
    assert processes_of(temporary) == []
    assert left(temporary) == []


def test_what_a_crashed_test_broke_is_whole_in_the_next_one(run):
    run(
        """
        import pytest

        @pytest.mark.minikafka(nodes=3)
        def test_breaks(minikafka):
            minikafka.kill(3)
            minikafka.pause(2)
            raise RuntimeError

        @pytest.mark.minikafka(nodes=3)
        def test_next(minikafka):
            assert minikafka.running == [1, 2, 3]
            minikafka.create_topic("t", 1, 3, config={"min.insync.replicas": 3})
            minikafka.produce("t", "a")
        """
    ).assert_outcomes(failed=1, passed=1)


def test_what_a_test_without_the_fixture_broke_is_whole_in_the_next_one(run):
    run(
        """
        import os, signal
        from minikafka.testing import ClusterError

        def test_kills(minikafka_proc):
            minikafka_proc.fault("Metadata", "drop")
            minikafka_proc.kill(1)

        def test_next(minikafka, kafka_topic):
            minikafka.produce(kafka_topic, "a")

        def test_ends(minikafka_proc):
            os.kill(minikafka_proc.pid(1), signal.SIGKILL)
            minikafka_proc.wait_for(lambda: minikafka_proc.crashes)

        def test_last(minikafka, kafka_topic):
            minikafka.produce(kafka_topic, "a")
        """
    ).assert_outcomes(passed=4, warnings=1)


def test_topics_that_a_client_deletes_meanwhile_are_no_leftovers(run):
    run(
        """
        import pytest
        from minikafka.testing import Cluster

        usual = Cluster.topics
        late = []

        def topics(self):
            found = usual(self)
            if late:
                self.delete_topics(late.pop())
            return found

        Cluster.topics = topics

        def test_deletes(minikafka, kafka_topic):
            minikafka.create_topic("other")
            late.append(kafka_topic)

        def test_next(minikafka):
            assert minikafka.topics() == []
        """,
        "-W", "error::minikafka.pytest_plugin.isolation.LeftoversWarning",
    ).assert_outcomes(passed=2)  # fmt: skip


def test_a_node_that_ends_by_itself_is_replaced_also_if_warnings_are_errors(run):
    result = run(
        """
        import os, signal

        def test_ends(minikafka):
            os.kill(minikafka.pid(1), signal.SIGKILL)
            minikafka.wait_for(lambda: minikafka.crashes)

        def test_next(minikafka, kafka_topic):
            minikafka.produce(kafka_topic, "a")
        """,
        "-W", "error",
    )  # fmt: skip
    result.assert_outcomes(passed=2, errors=1)
    said = "LeftoversWarning: the cluster could not be cleaned, and was started again: node 1"
    assert f"{said} ended by itself, signal 9" in result.stdout.str()


def test_a_disk_that_is_full_during_a_test_is_whole_in_the_next_one(run, temporary):
    unshare = ("unshare", *([] if os.geteuid() == 0 else ["--map-root-user"]), "--mount")
    mounting = 'mount -t tmpfs -o size=2m none "$TMPDIR"; "$@"; ls "$TMPDIR"'
    result = run(
        """
        import pytest
        from minikafka.testing import ClusterError

        def test_fills(minikafka, kafka_topic):
            while True:
                minikafka.produce(kafka_topic, "x" * 50_000)

        def test_next(minikafka, kafka_topic):
            minikafka.produce(kafka_topic, "a")
        """,
        prefix=(*unshare, "sh", "-c", mounting, "sh"),
    )
    result.assert_outcomes(failed=1, passed=1, warnings=1)
    assert "No space left on device" in result.stdout.str()
    assert "the cluster could not be cleaned, and was started again" in result.stdout.str()
    # The last line of the run: nothing is left in the folder.
    assert "1 passed" in result.outlines[-1]
