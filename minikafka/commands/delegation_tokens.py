"""Create, renew, expire and describe delegation tokens (Kafka: `DelegationTokenCommand`)."""

from base64 import b64decode, b64encode
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

from minikafka.admin.client import AdminClient, AdminError, check
from minikafka.commands.java_errors import exception_text
from minikafka.commands.options import Options, ToolError
from minikafka.common.principal import KafkaPrincipal, parse_principal
from minikafka.common.whole_numbers import whole_number
from minikafka.messages.create_delegation_token import (
    CreatableRenewers,
    CreateDelegationTokenRequest,
)
from minikafka.messages.describe_delegation_token import (
    DescribeDelegationTokenOwner,
    DescribeDelegationTokenRequest,
)
from minikafka.messages.expire_delegation_token import ExpireDelegationTokenRequest
from minikafka.messages.renew_delegation_token import RenewDelegationTokenRequest

_MAX_INT64: Final = (1 << 63) - 1
_WIDTHS: Final = (15, 30, 15, 15, 25, 15, 15, 15)
_TITLES: Final = (
    "TOKENID", "HMAC", "OWNER", "REQUESTER", "RENEWERS", "ISSUEDATE", "EXPIRYDATE", "MAXDATE",
)  # fmt: skip


def change_or_describe(options: Options, client: AdminClient) -> None:
    """Do the action of the options.

    Raises:
        ToolError: a value cannot be read, or the cluster refuses.
        AdminError: the cluster does not answer.
    """
    actions = {"create": _create, "renew": _renew, "expire": _expire, "describe": _describe}
    next(work for name, work in actions.items() if options.has(name))(options, client)


def _create(options: Options, client: AdminClient) -> None:
    renewers = _principals(options, "renewer-principal")
    life_ms = _period_ms(options, "max-life-time-period")
    owner = next(iter(_principals(options, "owner-principal")), None)
    print(
        f"Calling create token operation with renewers :{_listed(renewers)} , "
        f"max-life-time-period :{life_ms}"
    )
    request = CreateDelegationTokenRequest(
        None if owner is None else owner.type,
        None if owner is None else owner.name,
        [CreatableRenewers(each.type, each.name) for each in renewers],
        life_ms,
    )
    token = _asked(client, request)
    print(f"Created delegation token with tokenId : {token.token_id}")
    times = token.issue_timestamp_ms, token.expiry_timestamp_ms, token.max_timestamp_ms
    _print_tokens([_row(token, renewers, times)])


def _renew(options: Options, client: AdminClient) -> None:
    text, period_ms = options.value("hmac") or "", _period_ms(options, "renew-time-period")
    print(f"Calling renew token operation with hmac :{text} , renew-time-period :{period_ms}")
    found = _asked(client, RenewDelegationTokenRequest(_hmac(text), period_ms))
    print(
        f"Completed renew operation. New expiry date : {_date(found.expiry_timestamp_ms)}", end=""
    )


def _expire(options: Options, client: AdminClient) -> None:
    text, period_ms = options.value("hmac") or "", _period_ms(options, "expiry-time-period")
    print(f"Calling expire token operation with hmac :{text} , expire-time-period :{period_ms}")
    found = _asked(client, ExpireDelegationTokenRequest(_hmac(text), period_ms))
    print(
        f"Completed expire operation. New expiry date : {_date(found.expiry_timestamp_ms)}", end=""
    )


def _describe(options: Options, client: AdminClient) -> None:
    owners = _principals(options, "owner-principal")
    if owners:
        print(f"Calling describe token operation for owners: {_listed(owners)}")
    else:
        print("Calling describe token operation for current user.")
    wanted = [DescribeDelegationTokenOwner(each.type, each.name) for each in owners]
    tokens = _asked(client, DescribeDelegationTokenRequest(wanted)).tokens
    print(f"Total number of tokens : {len(tokens)}", end="")
    _print_tokens(
        [
            _row(
                each,
                [KafkaPrincipal(one.principal_type, one.principal_name) for one in each.renewers],
                (each.issue_timestamp, each.expiry_timestamp, each.max_timestamp),
            )
            for each in tokens
        ]
    )


def _asked(client: AdminClient, request: Any) -> Any:
    response = client.ask(request)
    try:
        check(response.error_code)
    except AdminError as error:
        raise ToolError(exception_text(error)) from None
    return response


def _row(token: Any, renewers: Sequence[KafkaPrincipal], times: tuple[int, ...]) -> list[str]:
    return [
        token.token_id,
        b64encode(token.hmac).decode(),
        f"{token.principal_type}:{token.principal_name}",
        f"{token.token_requester_principal_type}:{token.token_requester_principal_name}",
        _listed(renewers),
        *map(_date, times),
    ]


def _print_tokens(rows: Sequence[Sequence[str]]) -> None:
    for row in (_TITLES, *rows):
        cells = (cell.ljust(width) for cell, width in zip(row, _WIDTHS, strict=True))
        print("", " ".join(cells), sep="\n")


def _listed(principals: Sequence[KafkaPrincipal]) -> str:
    return f"[{', '.join(map(str, principals))}]"


def _principals(options: Options, name: str) -> list[KafkaPrincipal]:
    try:
        return [parse_principal(text.strip()) for text in options.values(name)]
    except ValueError as error:
        raise ToolError(f"{name}: {error}") from None


def _period_ms(options: Options, name: str) -> int:
    text = options.value(name) or ""
    try:
        return whole_number(text, -_MAX_INT64, _MAX_INT64)
    except ValueError:
        raise ToolError(f"Cannot parse argument '{text}' of option {name}") from None


def _hmac(text: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except ValueError:
        raise ToolError("hmac: is not base64") from None


def _date(time_ms: int) -> str:
    """Return a time in the time zone of this machine."""
    try:
        return datetime.fromtimestamp(time_ms / 1000, UTC).astimezone().strftime("%Y-%m-%dT%H:%M")
    except (ValueError, OverflowError):
        return str(time_ms)
