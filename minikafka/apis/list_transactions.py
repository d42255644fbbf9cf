"""ListTransactions (key 66), v0-2.

Broker:      lists the transactional ids that it coordinates, by state, producer id, the time that a
             transaction is open, and a pattern for the id.
Versions:    v0 flexible (KIP-664); v1 duration (KIP-994); v2 pattern (KIP-1152).
Errors:      COORDINATOR_LOAD_IN_PROGRESS, INVALID_REGULAR_EXPRESSION.
"""

from collections.abc import Callable
from functools import partial
from typing import Final

from minikafka.common.errors import ErrorCode, KafkaError
from minikafka.common.linear_regex import BadPatternError, LinearRegex
from minikafka.messages import list_transactions as messages
from minikafka.messages.api_keys import ApiKey
from minikafka.security.acl import AclOperation, AclResourceType
from minikafka.serving.authorization import allows
from minikafka.serving.context import BrokerContext
from minikafka.serving.registry import broker_api
from minikafka.serving.steps import Steps, compute, next_turn
from minikafka.transaction.state import TransactionState
from minikafka.transaction.transaction import Transaction

_IDS_A_STEP: Final = 2_000
_IDS_A_COMPUTATION: Final = 200
_STATES = {state.label: state for state in TransactionState}


@broker_api(ApiKey.LIST_TRANSACTIONS, versions=(0, 2))
def list_transactions(
    ctx: BrokerContext, request: messages.ListTransactionsRequest
) -> Steps[messages.ListTransactionsResponse]:
    """List the ids that pass all filters; an empty filter passes all."""
    response = messages.ListTransactionsResponse(
        unknown_state_filters=list(
            dict.fromkeys(name for name in request.state_filters if name not in _STATES)
        )
    )
    pattern = request.transactional_id_pattern
    try:
        regex = LinearRegex(pattern) if pattern else None
        found = list(ctx.broker.transactions.all_transactions())
    except BadPatternError:
        return messages.ListTransactionsResponse(error_code=ErrorCode.INVALID_REGULAR_EXPRESSION)
    except KafkaError as error:
        return messages.ListTransactionsResponse(error_code=error.code)
    passes = _filter(ctx, request)
    for start in range(0, len(found), _IDS_A_STEP):
        if start:
            yield from next_turn(ctx.env, for_answer_only=True)
        rows = [each for each in found[start : start + _IDS_A_STEP] if passes(each[1])]
        if regex is not None:
            rows = yield from _matching(regex, rows)
        response.transaction_states += [
            messages.TransactionState(name, transaction.producer_id, transaction.state.label)
            for name, transaction in rows
            if _may_see(ctx, name)
        ]
    return response


def _may_see(ctx: BrokerContext, name: str) -> bool:
    return allows(
        ctx, AclOperation.DESCRIBE, AclResourceType.TRANSACTIONAL_ID, name, is_asked=False
    )


def _filter(
    ctx: BrokerContext, request: messages.ListTransactionsRequest
) -> Callable[[Transaction], bool]:
    states = frozenset(request.state_filters)
    producer_ids = frozenset(request.producer_id_filters)
    now_ms = ctx.env.clock.wall_ms
    duration_ms = request.duration_filter

    def passes(transaction: Transaction) -> bool:
        return (
            (not states or transaction.state.label in states)
            and (not producer_ids or transaction.producer_id in producer_ids)
            # As Kafka: an id without a transaction has started in 1970 and passes.
            and (duration_ms < 0 or now_ms - transaction.started_ms > duration_ms)
        )

    return passes


def _matching(
    regex: LinearRegex, rows: list[tuple[str, Transaction]]
) -> Steps[list[tuple[str, Transaction]]]:
    """Return the rows whose id matches; matching may take long, and runs outside of the step."""
    found: list[tuple[str, Transaction]] = []
    for start in range(0, len(rows), _IDS_A_COMPUTATION):
        found += yield from compute(
            partial(_matching_of, regex, rows[start : start + _IDS_A_COMPUTATION])
        )
    return found


def _matching_of(
    regex: LinearRegex, rows: list[tuple[str, Transaction]]
) -> list[tuple[str, Transaction]]:
    return [row for row in rows if regex.matches(row[0])]
