"""Emits the tables over all messages: the API keys, the record types, the error codes."""

import tomllib
from collections.abc import Sequence
from typing import Any

from tools.message_generator.source import Source
from tools.message_generator.spec import MessageSpec

_NOTE = "by tools/generate_messages.py. Do not edit."


def emit_api_keys(messages: Sequence[MessageSpec]) -> str:
    """`api_keys.py`: every API and, on demand, its classes."""
    requests = sorted((m for m in messages if m.type == "request"), key=_key)
    out = Source()
    out.line(f"# Generated from schemas/rpc {_NOTE}")
    out.line('"""Every API: key, versions, listeners, and its classes, imported on first use."""')
    out.line()
    out.line("from enum import IntEnum")
    out.line("from importlib import import_module")
    out.line("from typing import NamedTuple, cast")
    out.line()
    out.line("from minikafka.protocol.message import ApiMessage")
    out.line()
    out.line()
    with out.block("class ApiKey(IntEnum):"):
        out.line('"""The number in front of every request."""')
        out.line()
        for message in requests:
            out.line(f"{message.constant} = {message.api_key}")
    out.lines += _API_INFO.splitlines()
    out.line("APIS: dict[int, ApiInfo] = {")
    with out.indented():
        for message in requests:
            low, high = message.versions
            flexible = high + 1 if message.flexible.is_empty else message.flexible.low
            stable = high - 1 if message.unstable else high
            listeners = "".join(f'"{each}", ' for each in message.listeners).rstrip(" ")
            items = [
                str(message.api_key),
                f'"{message.base_name}"',
                f'"{message.module}"',
                str(low),
                str(high),
                str(stable),
                str(flexible),
                f"({listeners})",
            ]
            out.items(f"{message.api_key}: ApiInfo(", items, "),")
    out.line("}")
    out.lines += _API_FUNCTIONS.splitlines()
    return "\n".join(out.lines) + "\n"


def emit_metadata_types(messages: Sequence[MessageSpec]) -> str:
    """`metadata_records/record_types.py`: the class of every record type of the metadata log."""
    records = sorted(
        # Records of tiered storage are of the type too, and live in a topic of their own.
        (m for m in messages if m.folder == "metadata" and m.api_key is not None),
        key=_key,
    )
    out = Source()
    out.line(f"# Generated from schemas/metadata {_NOTE}")
    out.line('"""The class of each record type of the metadata log, imported on first use."""')
    out.lines += _LAZY_IMPORTS.splitlines()
    with out.block("class MetadataRecordType(IntEnum):"):
        out.line('"""The number in front of every record of the metadata log."""')
        out.line()
        for message in records:
            out.line(f"{message.constant} = {message.api_key}")
    out.line()
    out.line()
    out.line("_CLASSES = {")
    with out.indented():
        for message in records:
            module = message.module.replace("/", ".")
            out.line(f'{message.api_key}: ("{module}", "{message.name}"),')
    out.line("}")
    out.lines += _METADATA_FUNCTION.splitlines()
    return "\n".join(out.lines) + "\n"


def emit_coordinator_types(messages: Sequence[MessageSpec]) -> str:
    """`coordinator/record_types.py`: key and value classes by the folder's record types."""
    out = Source()
    out.line(f"# Generated from schemas/coordinator {_NOTE}")
    out.line('"""Record types of the coordinators\' topics, by topic.')
    out.line()
    out.line("A key starts with its record type as a 16-bit number, a value with its version.")
    out.line('"""')
    out.line()
    out.line("from enum import IntEnum")
    for prefix, title in _TOPICS.items():
        keys = sorted(
            (m for m in messages if m.type == "coordinator-key" and _topic(m) == prefix), key=_key
        )
        out.line()
        out.line()
        with out.block(f"class {title}(IntEnum):"):
            out.line(f'"""Record types of `{prefix}`."""')
            out.line()
            for message in keys:
                out.line(f"{message.constant} = {message.api_key}")
    return "\n".join(out.lines) + "\n"


_TOPICS = {
    "__consumer_offsets": "GroupRecordType",
    "__transaction_state": "TransactionRecordType",
    "__share_group_state": "ShareStateRecordType",
}


def _topic(message: MessageSpec) -> str:
    if message.name.startswith("TransactionLog"):
        return "__transaction_state"
    if message.name.startswith(("ShareSnapshot", "ShareUpdate")):
        return "__share_group_state"
    return "__consumer_offsets"


def emit_errors(text: str) -> str:
    """`minikafka/common/errors.py` from the text of `errors.toml`."""
    rows: list[dict[str, Any]] = sorted(tomllib.loads(text)["error"], key=lambda row: row["code"])
    codes = [row["code"] for row in rows]
    if len({*codes}) != len(codes):
        raise ValueError("errors.toml: a code is used twice")
    out = Source()
    out.line(f"# Generated from schemas/errors.toml {_NOTE}")
    out.lines += _ERRORS_HEAD.splitlines()
    with out.block("class ErrorCode(IntEnum):"):
        out.line('"""The number that a response carries. Zero is success."""')
        out.line()
        for row in rows:
            out.line(f"{row['name']} = {row['code']}")
    out.lines += _KAFKA_ERROR.splitlines()
    for row in rows:
        if not row.get("raised"):
            continue
        out.line()
        out.line()
        with out.block(f"class {error_class_name(row['name'])}(KafkaError):"):
            out.line(f'"""{_sentence(row)}"""')
            out.line()
            out.line(f"code = ErrorCode.{row['name']}")
            if row["retriable"]:
                out.line("retriable = True")
            out.line(f'summary = "{_sentence(row)}"')
    out.line()
    out.line()
    with out.block("_OTHERS: Final = {"):
        for row in rows:
            if row["name"] != "NONE" and not row.get("raised"):
                _emit_other_error(out, row)
    out.line("}")
    out.line('"""The errors that no code here raises: if a client may retry, and the summary."""')
    out.lines += _ERROR_FUNCTIONS.splitlines()
    return "\n".join(out.lines) + "\n"


def _emit_other_error(out: Source, row: dict[str, Any]) -> None:
    code, retriable, summary = f"ErrorCode.{row['name']}", row["retriable"], _sentence(row)
    entry = f'{code}: ({retriable}, "{summary}"),'
    if len(entry) + 4 <= 100:
        out.line(entry)
        return
    with out.block(f"{code}: ("):
        out.line(f"{retriable},")
        out.line(f'"{summary}",')
    out.line("),")


def error_class_name(name: str) -> str:
    """`NOT_CONTROLLER` -> `NotControllerError`."""
    words = name.removesuffix("_EXCEPTION").removesuffix("_ERROR").split("_")
    return "".join(word.capitalize() for word in words) + "Error"


def _sentence(row: dict[str, Any]) -> str:
    text: str = row.get("message", row["name"].replace("_", " ").capitalize() + ".")
    return text


def _key(message: MessageSpec) -> int:
    assert message.api_key is not None
    return message.api_key


_API_INFO = '''

class ApiInfo(NamedTuple):
    """One API as the schemas know it. What a node really serves is for `apis/` to say."""

    key: int
    name: str
    module: str
    min_version: int
    max_version: int
    latest_stable_version: int
    flexible_from: int
    listeners: tuple[str, ...]

'''

_API_FUNCTIONS = '''
_request_classes: dict[int, type[ApiMessage]] = {}
_response_classes: dict[int, type[ApiMessage]] = {}


def request_class(api_key: int) -> type[ApiMessage]:
    """The request of an API.

    Raises:
        KeyError: if there is no such API.
    """
    found = _request_classes.get(api_key)
    if found is None:
        found = _request_classes[api_key] = _load(api_key, "Request")
    return found


def response_class(api_key: int) -> type[ApiMessage]:
    """The response of an API.

    Raises:
        KeyError: if there is no such API.
    """
    found = _response_classes.get(api_key)
    if found is None:
        found = _response_classes[api_key] = _load(api_key, "Response")
    return found


def request_header_version(api_key: int, api_version: int) -> int:
    """2 where the request is flexible, else 1.

    Raises:
        KeyError: if there is no such API.
    """
    return 2 if api_version >= APIS[api_key].flexible_from else 1


def response_header_version(api_key: int, api_version: int) -> int:
    """1 where the response is flexible, else 0; always 0 for ApiVersions.

    A client that asks ApiVersions does not know yet what the server can read or write.

    Raises:
        KeyError: if there is no such API.
    """
    if api_key == ApiKey.API_VERSIONS:
        return 0
    return 1 if api_version >= APIS[api_key].flexible_from else 0


def _load(api_key: int, suffix: str) -> type[ApiMessage]:
    info = APIS[api_key]
    module = import_module(f"minikafka.messages.{info.module}")
    return cast("type[ApiMessage]", getattr(module, info.name + suffix))
'''

_LAZY_IMPORTS = """
from enum import IntEnum
from importlib import import_module
from typing import cast

from minikafka.protocol.message import Message


"""

_METADATA_FUNCTION = '''
_loaded: dict[int, type[Message]] = {}


def metadata_record_class(record_type: int) -> type[Message]:
    """The class of a record type.

    Raises:
        KeyError: if there is no such record type.
    """
    found = _loaded.get(record_type)
    if found is None:
        module, name = _CLASSES[record_type]
        found = cast("type[Message]", getattr(import_module(f"minikafka.messages.{module}"), name))
        _loaded[record_type] = found
    return found
'''

_ERRORS_HEAD = '''"""Kafka's errors: codes for responses, and exceptions that abort a request.

An error that code here raises has a class; the others are rows, whose classes `error_of` makes.
"""

from enum import IntEnum
from typing import ClassVar, Final


'''

_KAFKA_ERROR = '''

class KafkaError(Exception):
    """An expected error that aborts a request; the dispatcher responds with `code`."""

    code: ClassVar[ErrorCode]
    retriable: ClassVar[bool] = False
    summary: ClassVar[str]

    def __init__(self, message: str | None = None) -> None:
        """Set the message; without one, it is the summary of the code."""
        super().__init__(self.summary if message is None else message)

    def __init_subclass__(cls) -> None:
        """Register the class by its code; one without an own code narrows its parent."""
        if "code" not in cls.__dict__:
            return
        if cls.code in _CLASSES:
            raise TypeError(f"{cls.code!r} has a class already: {_CLASSES[cls.code].__name__}")
        _CLASSES[cls.code] = cls

    @property
    def message(self) -> str:
        """The error in one sentence."""
        return str(self.args[0])


_CLASSES: dict[int, type[KafkaError]] = {}
'''

_ERROR_FUNCTIONS = '''

def error_of(code: int, message: str | None = None) -> KafkaError:
    """Make the exception for a code; UnknownServerError for an unknown code.

    Raises:
        ValueError: the code is NONE, which is not an error.
    """
    if code == ErrorCode.NONE:
        raise ValueError("NONE is not an error")
    return _class_of(code)(message)


def _class_of(code: int) -> type[KafkaError]:
    found = _CLASSES.get(code)
    if found is not None:
        return found
    if code not in _OTHERS:
        return UnknownServerError
    known = ErrorCode(code)
    retriable, summary = _OTHERS[known]
    content = {"code": known, "retriable": retriable, "summary": summary}
    return type(known.name, (KafkaError,), content)


def is_retriable(code: int) -> bool:
    """True if a client may retry the request."""
    return _class_of(code).retriable


def summary_of(code: int) -> str | None:
    """The summary of a code in one sentence; None for NONE."""
    return None if code == ErrorCode.NONE else _class_of(code).summary
'''
