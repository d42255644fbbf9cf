from minikafka.harness.clients.ledger_table import read_ledgers
from minikafka.harness.clients.workload import plan_workload
from minikafka.harness.plan.settings import RunFiles, RunSettings
from minikafka.harness.plan.workload_options import WorkloadOptions

OPTIONS = (
    "acks",
    "idempotent",
    "size_min_bytes",
    "size_max_bytes",
    "size_distribution",
    "key_skew",
    "compression",
    "transactions",
)


def plan(tmp_path, **changes):
    files = RunFiles(tmp_path / "run")
    files.prepare()
    return plan_workload(
        RunSettings(**{"rate": 500, "seed": 9, **changes}),
        files,
        run="r",
        bootstrap_servers="127.0.0.1:1",
        topic="t",
        topic_id="i",
    )


def test_both_clients_share_the_rate_and_have_ledgers_of_their_own(tmp_path):
    tasks = plan(tmp_path).tasks
    assert [(task.pid, task.client) for task in tasks] == [(1, "confluent-kafka"), (2, "aiokafka")]
    assert [task.rate for task in tasks] == [250, 250]
    assert len({task.ledger for task in tasks}) == 2


def test_the_options_reach_every_task(tmp_path):
    """S1."""
    options = WorkloadOptions(
        clients=("kafka-python", "aiokafka", "aiokafka"), acks="1", idempotent=False,
        size_min_bytes=1, size_max_bytes=2, key_skew=0.5, size_distribution="log-uniform",
        compression="gzip",
    )  # fmt: skip
    tasks = plan(tmp_path, workload=options, rate=300).tasks
    assert [task.client for task in tasks] == list(options.clients)
    assert [task.pid for task in tasks] == [1, 2, 3]
    for task in tasks:
        for name in OPTIONS:
            assert getattr(task, name) == getattr(options, name)
        assert task.rate == 100


def test_a_bound_on_bytes_is_shared_like_the_rate(tmp_path):
    tasks = plan(tmp_path, workload=WorkloadOptions(bytes_per_s=900)).tasks
    assert [task.bytes_per_s for task in tasks] == [450, 450]


def test_a_killed_producer_is_reported_and_leaves_a_readable_ledger(tmp_path):
    workload = plan(tmp_path)
    workload.tasks.pop()
    workload.start()
    while not workload.event_files[0].exists():
        assert workload.is_running
    [note] = workload.end()
    assert note.startswith("Producer 1 (confluent-kafka) ended with status -9")
    assert not workload.is_running
    [table] = read_ledgers(tmp_path / "run" / "ledger")
    assert table.counts()["unknown"] == table.counts()["sent"]
    assert not table.ended
