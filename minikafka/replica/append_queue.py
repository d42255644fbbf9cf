"""Appends whose validation takes too long for one step: validated elsewhere, appended in order.

The records of such an append are copied, and a `Work` validates them without access to the node.
Several appends to one partition are validated at the same time, but they and all later ones are
appended in the order of their arrival. The checks of leadership, ISR size and producer sequence are
made when a batch is appended.
"""

from collections.abc import Callable
from functools import partial

from minikafka.common.budget import OverBudgetError
from minikafka.common.environment import Environment
from minikafka.common.errors import KafkaError, KafkaStorageError
from minikafka.common.faults import StorageFault
from minikafka.log.appends import LogAppendInfo
from minikafka.log.producers.verification import VerificationGuard
from minikafka.records.errors import RecordValidationError
from minikafka.records.validation import AppendOrigin, validate_batch
from minikafka.replica.partition import Partition
from minikafka.replica.queued_append import QueuedAppend, Validated


def queue_append(
    env: Environment, partition: Partition, records: memoryview, required_acks: int
) -> QueuedAppend:
    """Validate a copy of a client's records elsewhere; append them after the queued appends."""
    item = QueuedAppend(required_acks, len(records))
    _queue(env, partition, records, item)
    return item


def append_or_queue(
    env: Environment,
    partition: Partition,
    records: memoryview,
    item: QueuedAppend,
    guard: VerificationGuard,
) -> None:
    """Append transactional records for `item`, at once or after the queued appends."""
    item.guard = guard
    if partition.queued:
        _queue(env, partition, records, item)
        return
    try:
        _settle(
            env,
            partition,
            item,
            lambda: partition.append_as_leader(
                records, required_acks=item.required_acks, guard=guard
            ),
        )
    except OverBudgetError:
        _queue(env, partition, records, item)


def _queue(env: Environment, partition: Partition, records: memoryview, item: QueuedAppend) -> None:
    partition.queued.append(item)
    env.queued_bytes += item.size_bytes
    function: Callable[[], Validated] = partial(
        validate_batch,
        memoryview(bytearray(records)),
        partition.log.config.records,
        AppendOrigin.CLIENT,
        env.clock.wall_ms,
    )

    def validated(result: Validated, error: Exception | None) -> None:
        item.validated = result if error is None else error
        queued = partition.queued
        while queued and queued[0].validated is not None:
            _append(env, partition, queued.popleft())

    env.work(function, validated)


def _append(env: Environment, partition: Partition, item: QueuedAppend) -> None:
    validated, item.validated = item.validated, None
    env.queued_bytes -= item.size_bytes
    if isinstance(validated, tuple):
        batch, header = validated
        _settle(
            env,
            partition,
            item,
            lambda: partition.append_validated(
                batch, header, required_acks=item.required_acks, guard=item.guard
            ),
        )
    else:
        item.outcome = validated
        env.notify(item.done)


def _settle(
    env: Environment, partition: Partition, item: QueuedAppend, append: Callable[[], LogAppendInfo]
) -> None:
    """Run an append and set its result; raise OverBudgetError."""
    item.leader_epoch = partition.leader_epoch
    try:
        item.outcome = append()
    except OverBudgetError:
        raise
    except StorageFault as fault:
        # At once: the appends that are queued behind must not reach this log any more.
        env.on_storage_fault(fault)
        item.outcome = KafkaStorageError()
    except (RecordValidationError, KafkaError) as refusal:
        # Without its traceback, which would keep this frame, and so `item` and the records.
        item.outcome = refusal.with_traceback(None)
    except Exception as error:  # noqa: BLE001 - the waiting request raises it
        item.outcome = error
    env.notify(item.done)
