"""Emits one module of `minikafka/messages/`: a request with its response, or one record."""

from collections.abc import Sequence

from tools.message_generator.emit_decode import DecodeEmitter
from tools.message_generator.emit_encode import EncodeEmitter
from tools.message_generator.names import Names
from tools.message_generator.source import Source
from tools.message_generator.spec import FieldSpec, MessageSpec, StructSpec

_HELPERS = (
    "DECODE_FAILURES", "ElementBudget", "MalformedMessage", "Reader", "Records", "TaggedFields",
    "UNSET", "UnknownMessageVersionError", "UnsupportedFieldError", "Writer", "cut_short",
    "malformed",
    "null_not_allowed", "pack_fixed", "pack_int32s", "read_compact_strings", "read_fixed",
    "read_int32s", "read_strings", "read_tagged_fields", "read_uuids", "read_uvarint",
    "records_size", "uvarint", "write_compact_strings", "write_strings",
    "write_tagged_fields", "wrong_tag_size",
)  # fmt: skip


def emit_module(messages: Sequence[MessageSpec]) -> str:
    """The text of the module that holds these messages (one, or a pair)."""
    body = Source()
    functions = Source()
    for message in messages:
        names = Names(message, messages)
        for struct in message.structs.values():
            _struct_class(body, message, struct, names)
        _message_class(body, message, names)
        DecodeEmitter(message, names, functions).helpers()
        EncodeEmitter(message, names, functions).helpers()
    layouts = {**body.layouts, **functions.layouts}
    code = "\n".join([*body.lines, *functions.lines])
    return "\n".join([*_head(messages, code, layouts), code]).rstrip() + "\n"


def _head(messages: Sequence[MessageSpec], code: str, layouts: dict[str, str]) -> list[str]:
    files = " and ".join(message.file for message in messages)
    lines = [f"# Generated from {files} by tools/generate_messages.py. Do not edit."]
    lines += [f'"""{" ".join(_summary(message) for message in messages)}"""', ""]
    if "Iterable[" in code:
        lines.append("from collections.abc import Iterable")
    if layouts:
        lines.append("from struct import Struct")
    lines += ["from typing import ClassVar, Self", ""]
    ids = [name for name in ("Uuid", "ZERO_UUID") if _uses(code, name)]
    if ids:
        lines.append(f"from minikafka.common.ids import {', '.join(sorted(ids))}")
    lines.append("from minikafka.protocol.message import describe, same")
    lines.append("from minikafka.protocol.primitives import (")
    lines += [f"    {name}," for name in _HELPERS if _uses(code, name)]
    lines += [")", "", "new = object.__new__"]
    if _uses(code, "new_uuid"):
        lines.append("new_uuid = bytes.__new__")
    lines += sorted(layouts.values())
    return lines


def _uses(code: str, name: str) -> bool:
    before = code.find(name)
    while before >= 0:
        after = before + len(name)
        edges = code[before - 1 : before] + code[after : after + 1]
        if not any(edge.isalnum() or edge == "_" for edge in edges):
            return True
        before = code.find(name, after)
    return False


def _summary(message: MessageSpec) -> str:
    low, high = message.versions
    versions = f"version {low}" if low == high else f"versions {low} to {high}"
    if message.flexible.is_empty:
        return f"{message.name}: {versions}."
    return f"{message.name}: {versions}, flexible from {message.flexible.low}."


def _message_class(out: Source, message: MessageSpec, names: Names) -> None:
    low, high = message.versions
    flexible = high + 1 if message.flexible.is_empty else message.flexible.low
    _class_head(
        out, message.name, f"Versions {low} to {high}." if low < high else f"Version {low}."
    )
    with out.indented():
        if message.api_key is not None:
            out.line(f"API_KEY: ClassVar[int] = {message.api_key}")
        out.line(f"MIN_VERSION: ClassVar[int] = {low}")
        out.line(f"MAX_VERSION: ClassVar[int] = {high}")
        out.line(f"FLEXIBLE_FROM: ClassVar[int] = {flexible}")
        out.line()
        _fields(out, message, message.root, names)
        out.line()
        EncodeEmitter(message, names, out).method()
        out.line()
        DecodeEmitter(message, names, out).method()
        _dunders(out)


def _struct_class(out: Source, message: MessageSpec, struct: StructSpec, names: Names) -> None:
    _class_head(out, names.of(struct.name), f"Part of {message.name}.")
    with out.indented():
        _fields(out, message, struct, names)
        _dunders(out)


def _class_head(out: Source, name: str, summary: str) -> None:
    out.line()
    out.line()
    out.line(f"class {name}:")
    with out.indented():
        out.line(f'"""{summary}"""')
        out.line()


def _fields(out: Source, message: MessageSpec, struct: StructSpec, names: Names) -> None:
    flexible = not message.flexible.intersect(struct.versions).is_empty
    attributes = [field.attribute for field in struct.fields]
    if flexible:
        attributes.append("unknown_tagged_fields")
    comma = "," if len(attributes) == 1 else ""
    out.items("__slots__ = (", [f'"{each}"' for each in attributes], f"{comma})")
    out.line()
    parameters = [
        f"{field.attribute}: {names.annotation(field)} = {_parameter_default(field, names)}"
        for field in struct.fields
    ]
    if flexible:
        parameters.append("unknown_tagged_fields: TaggedFields | None = None")
    out.items("def __init__(", ["self", *parameters], ") -> None:")
    with out.indented():
        for field in struct.fields:
            name = field.attribute
            if _parameter_default(field, names) == "UNSET":
                fresh = names.default(field)
                out.line(f"self.{name} = {fresh} if {name} is UNSET else {name}")
            else:
                out.line(f"self.{name} = {name}")
        if flexible:
            out.line("self.unknown_tagged_fields = unknown_tagged_fields")
        if not attributes:
            out.line("pass")


def _parameter_default(field: FieldSpec, names: Names) -> str:
    """The default in the signature; UNSET where each message needs a new list or struct."""
    default = names.default(field)
    return "UNSET" if default == "[]" or default.endswith("()") else default


def _dunders(out: Source) -> None:
    out.line()
    out.line("__eq__ = same")
    out.line("__repr__ = describe")
