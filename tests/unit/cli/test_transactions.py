"""`kafka-transactions.py`: what it prints is what Apache Kafka 4.3.1 prints."""

import argparse

import pytest

from minikafka.admin.client import AdminError
from minikafka.cli import _subcommands, transactions
from minikafka.common.errors import ErrorCode
from minikafka.messages.describe_producers import ProducerState
from minikafka.messages.describe_transactions import TopicData, TransactionState
from minikafka.messages.init_producer_id import InitProducerIdRequest
from minikafka.messages.list_transactions import ListTransactionsRequest
from minikafka.messages.write_txn_markers import WriteTxnMarkersRequest
from tests.worlds.fake_cluster import FakeCluster, FakePartition

BROKER = ("--bootstrap-server", "127.0.0.1:1")
NOW_MS = 1_795_509_990_142
START_MS = 1_795_509_973_588
PARTITION = ("--topic", "tt", "--partition", "0")
HANGING = (
    "Topic\tPartition\tProducerId\tProducerEpoch\tCoordinatorEpoch\tStartOffset\tLastTimestamp"
    "\tDuration(min)\t"
)


@pytest.fixture
def fake(monkeypatch):
    found = FakeCluster()
    found.add("tt", FakePartition(1, [1, 2], [1, 2]), FakePartition(2, [2, 3], [2, 3]))
    found.transactions = {
        "alpha": TransactionState(
            0, "alpha", "Ongoing", 60_000, START_MS, 0, 0, [TopicData("tt", [1, 0])]
        ),
        "beta": TransactionState(0, "beta", "Empty", 60_000, -1, 1, 0),
    }
    found.producers[("tt", 0)] = [
        ProducerState(0, 0, 1, START_MS - 20, 0, 2),
        ProducerState(2, 0, 0, START_MS - 100, -1, -1),
    ]
    monkeypatch.setattr(_subcommands, "connect", lambda _: found)
    monkeypatch.setattr(transactions, "_wall_ms", lambda: NOW_MS)
    return found


@pytest.fixture
def run(fake, capsys):
    """Runs the tool; returns status, standard output, standard error."""

    def ran(*words):
        parser = argparse.ArgumentParser()
        transactions.add_arguments(parser)
        try:
            status = transactions.run(parser.parse_args([*BROKER, *words]))
        except SystemExit as end:
            status = end.code
        output = capsys.readouterr()
        return status, output.out, output.err

    return ran


def test_list(fake, run):
    assert run("list") == (
        0,
        (
            "TransactionalId\tCoordinator\tProducerId\tTransactionState\t\n"
            "alpha          \t1          \t0         \tOngoing         \t\n"
            "beta           \t1          \t1         \tEmpty           \t\n"
        ),
        "",
    )
    asked = fake.last(ListTransactionsRequest)
    assert (asked.duration_filter, asked.transactional_id_pattern) == (-1, None)
    run("list", "--duration-filter", "100", "--transactional-id-pattern", "al.*")
    asked = fake.last(ListTransactionsRequest)
    assert (asked.duration_filter, asked.transactional_id_pattern) == (100, "al.*")


def test_describe(run):
    header = (
        "CoordinatorId\tTransactionalId\tProducerId\tProducerEpoch\tTransactionState\t"
        "TransactionTimeoutMs\tCurrentTransactionStartTimeMs\tTransactionDurationMs\t"
        "TopicPartitions\t"
    )
    alpha = (
        "1            \talpha          \t0         \t0            \tOngoing         \t"
        "60000               \t1795509973588                \t16554                \t"
        "tt-0,tt-1      \t"
    )
    beta = (
        "1            \tbeta           \t1         \t0            \tEmpty           \t"
        "60000               \tNone                         \tNone                 \t"
        "               \t"
    )
    for name, row in (("alpha", alpha), ("beta", beta)):
        status, out, _ = run("describe", "--transactional-id", name)
        assert (status, out.splitlines()) == (0, [header, row])


def test_unknown_transactional_id(run):
    assert run("describe", "--transactional-id", "none") == (
        1,
        "",
        (
            "Failed to describe transaction state of transactional-id `none`: DescribeTransactions "
            "request for transactionalId `none` failed because the ID could not be found.\n"
        ),
    )


def test_an_error_that_is_a_sentence_gets_no_second_full_stop(fake, run):
    fake.refusals = [(ErrorCode.NOT_LEADER_OR_FOLLOWER, "It moved.")]
    status, _, err = run("describe-producers", *PARTITION, "--broker-id", "3")
    assert (status, err.endswith(": It moved.\n")) == (1, True)


def test_a_broker_that_does_not_answer_hides_no_others(fake, run, monkeypatch):
    usual = fake.ask_broker

    def ask_broker(broker_id, request):
        if broker_id == 2:
            raise AdminError("no answer from broker 2: refused", ErrorCode.NETWORK_EXCEPTION)
        return usual(broker_id, request)

    monkeypatch.setattr(fake, "ask_broker", ask_broker)
    status, out, err = run("list")
    assert (status, err) == (1, "The list is not complete: no answer from broker 2: refused\n")
    assert len(out.splitlines()) > 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--partition", "-1"), "--partition: '-1' is not a whole number from 0 to 2147483647"),
        (("--partition", "1_0"), "--partition: '1_0' is not"),
        (("--start-offset", "9223372036854775808"), "from 0 to 9223372036854775807"),
        (
            ("--producer-epoch", "32768"),
            "--producer-epoch: '32768' is not a whole number from 0 to",
        ),
        (("--coordinator-epoch", "-2"), "from -1 to 2147483647"),
    ],
)
def test_a_number_out_of_range_is_named_with_its_option(run, words, said):
    status, _, err = run("abort", *PARTITION, *words)
    assert (status, said in err) == (1, True)


@pytest.mark.parametrize(("words", "broker"), [((), 1), (("--broker-id", "2"), 2)])
def test_describe_producers(fake, run, words, broker):
    status, out, _ = run("describe-producers", *PARTITION, *words)
    assert (status, out.splitlines()) == (
        0,
        [
            (
                "ProducerId\tProducerEpoch\tLatestCoordinatorEpoch\tLastSequence\tLastTimestamp\t"
                "CurrentTransactionStartOffset\t"
            ),
            (
                "0         \t0            \t0                     \t1           \t1795509973568\t"
                "2                            \t"
            ),
            (
                "2         \t0            \t-1                    \t0           \t1795509973488\t"
                "None                         \t"
            ),
        ],
    )
    assert fake.asked_of[-1] == broker


def test_producers_of_a_partition_that_cannot_be_described(fake, run):
    status, _, err = run("describe-producers", "--topic", "tt", "--partition", "7")
    assert (status, err) == (
        1,
        "Failed to describe producers for partition tt-7 on leader: partition tt-7 does not exist.\n",
    )
    fake.refusals = [(ErrorCode.NOT_LEADER_OR_FOLLOWER, "moved")]
    status, _, err = run("describe-producers", *PARTITION, "--broker-id", "3")
    assert status == 1
    assert err.startswith("Failed to describe producers for partition tt-0 on broker 3: moved.")


def test_abort_by_the_first_offset(fake, run):
    assert run("abort", *PARTITION, "--start-offset", "2") == (0, "", "")
    (marker,) = fake.last(WriteTxnMarkersRequest).markers
    assert (marker.producer_id, marker.producer_epoch, marker.coordinator_epoch) == (0, 0, 0)
    assert not marker.transaction_result
    assert [(it.name, it.partition_indexes) for it in marker.topics] == [("tt", [0])]
    assert run("abort", *PARTITION, "--start-offset", "99") == (
        1,
        "",
        "Could not find any open transactions starting at offset 99 on partition tt-0\n",
    )


def test_abort_by_the_producer(fake, run):
    words = ("--producer-id", "3", "--producer-epoch", "9", "--coordinator-epoch", "4")
    assert run("abort", *PARTITION, *words)[0] == 0
    (marker,) = fake.last(WriteTxnMarkersRequest).markers
    assert (marker.producer_id, marker.producer_epoch, marker.coordinator_epoch) == (3, 9, 4)
    fake.refusals = [(ErrorCode.INVALID_PRODUCER_EPOCH, None)]
    status, _, err = run("abort", *PARTITION, *words)
    assert status == 1
    assert err.startswith(
        "Failed to abort transaction AbortTransactionSpec(topicPartition=tt-0, producerId=3, "
        "producerEpoch=9, coordinatorEpoch=4): "
    )


def test_transaction_that_its_coordinator_knows_does_not_hang(run):
    for scope in (("--topic", "tt"), ("--broker-id", "1"), PARTITION):
        status, out, _ = run("find-hanging", *scope, "--max-transaction-timeout", "0")
        assert (status, out.splitlines()) == (0, [HANGING])


@pytest.mark.parametrize("case", ["no id", "expired", "other partition"])
def test_transaction_that_no_coordinator_will_end_hangs(fake, run, case):
    if case == "no id":
        del fake.transactions["alpha"]
    elif case == "expired":
        fake.transactions["alpha"].error_code = ErrorCode.TRANSACTIONAL_ID_NOT_FOUND
    else:
        fake.transactions["alpha"].topics = [TopicData("tt", [1])]
    status, out, _ = run("find-hanging", "--topic", "tt", "--max-transaction-timeout", "0")
    assert (status, out.splitlines()[1:]) == (
        0,
        [
            (
                "tt   \t0        \t0         \t0            \t0               \t2          \t"
                "1795509973568\t0            \t"
            )
        ],
    )
    assert run("find-hanging", "--topic", "tt")[1].splitlines() == [HANGING]


def test_force_terminate(fake, run):
    assert run("forceTerminateTransaction", "--transactionalId", "alpha") == (0, "", "")
    assert fake.last(InitProducerIdRequest).transactional_id == "alpha"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("abort", *PARTITION), "The transaction to abort must be identified either with --start"),
        (("find-hanging",), "The `find-hanging` command requires either --topic or --broker-id"),
        (
            ("find-hanging", "--broker-id", "1", "--partition", "1"),
            "The --partition argument requires --topic to be provided",
        ),
        (("nonsense",), "usage: "),
        ((), "usage: "),
        (("describe",), "usage: "),
    ],
)
def test_wrong_command_lines(run, words, said):
    status, out, err = run(*words)
    assert (status, out) == (1, "")
    assert err.startswith(said)
