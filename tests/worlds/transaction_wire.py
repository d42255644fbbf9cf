"""A broker's view of the transaction coordinators, which the test plays."""

from minikafka.common.ids import TopicPartition, Uuid
from minikafka.common.internal_topics import TRANSACTIONS_TOPIC
from minikafka.config.values import Config
from minikafka.messages.add_partitions_to_txn import (
    AddPartitionsToTxnPartitionResult,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnResult,
    AddPartitionsToTxnTopicResult,
)
from minikafka.metadata.partition_registration import PartitionRegistration
from minikafka.replica.add_partitions_to_txn import AddPartitionsToTxnManager
from tests.worlds.broker_view import local_broker

STATE_ID = Uuid.of(5, 5)
T0 = TopicPartition("t", 0)


def state_topic(leaders):
    """`__transaction_state` with a partition for each of these leaders."""
    registrations = [
        PartitionRegistration(
            replicas=(1, 2), directories=(Uuid.of(0, 1),) * 2, isr=(1, 2), leader=leader,
            leader_epoch=0, partition_epoch=0,
        )
        for leader in leaders
    ]  # fmt: skip

    def change(builder):
        builder.put_topic(TRANSACTIONS_TOPIC, STATE_ID)
        for index, registration in enumerate(registrations):
            builder.put_partition(STATE_ID, index, registration)

    return change


def manager_of(world, **given):
    """The manager of a `ManagedWorld`; values of broker keys may be given."""
    values = {key.replace("_", "."): str(value) for key, value in given.items()}
    return AddPartitionsToTxnManager(world.env, world.calls, local_broker(world, Config(values)))


def rows_of(sent):
    """(transactional id, producer id, epoch, verify only, partitions) of a request."""
    return [
        (
            each.transactional_id,
            each.producer_id,
            each.producer_epoch,
            each.verify_only,
            [TopicPartition(t.name, index) for t in each.topics for index in t.partitions],
        )
        for each in sent.body.transactions
    ]


def verdicts(sent, code=0, codes=None):
    """The response to a request: `code` for each partition, or that in `codes`."""
    codes = codes or {}
    return AddPartitionsToTxnResponse(
        results_by_transaction=[
            AddPartitionsToTxnResult(
                transactional_id=each.transactional_id,
                topic_results=[
                    AddPartitionsToTxnTopicResult(
                        topic.name,
                        [
                            AddPartitionsToTxnPartitionResult(
                                index,
                                codes.get(
                                    (each.transactional_id, TopicPartition(topic.name, index)), code
                                ),
                            )
                            for index in topic.partitions
                        ],
                    )
                    for topic in each.topics
                ],
            )
            for each in sent.body.transactions
        ]
    )
