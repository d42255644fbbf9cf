"""Reads a schema file and checks it: what this accepts, the emitter can emit.

Errors name the file and the field, since a schema is edited by hand.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tools.message_generator.spec import (
    FIXED_CODES,
    PACKAGES,
    SIZED_TYPES,
    FieldSpec,
    FieldType,
    MessageSpec,
    StructSpec,
)
from tools.message_generator.versions import Versions

_FILE_KEYS = {
    "apiKey", "type", "listeners", "name", "validVersions", "latestVersionUnstable",
    "flexibleVersions", "fields", "commonStructs",
}  # fmt: skip
_FIELD_KEYS = {
    "name", "type", "versions", "nullableVersions", "taggedVersions", "tag", "default",
    "ignorable", "entityType", "mapKey", "zeroCopy", "fields", "flexibleVersions", "about",
}  # fmt: skip
_MESSAGE_TYPES = {
    "request", "response", "header", "metadata", "coordinator-key", "coordinator-value", "data",
}  # fmt: skip


class SchemaError(ValueError):
    """A schema file that breaks the language."""


def parse_folder(schemas: Path) -> list[MessageSpec]:
    """Every message under `schemas`, by folder and name."""
    return [
        parse_message(json.loads(path.read_text()), folder)
        for folder in PACKAGES
        for path in sorted((schemas / folder).glob("*.json"))
    ]


def parse_message(source: Mapping[str, Any], folder: str) -> MessageSpec:
    """The message that one schema file describes.

    Raises:
        SchemaError: naming message and field.
    """
    name = source.get("name", "?")
    try:
        return _Parser(name, source).message(folder)
    except (KeyError, ValueError) as error:
        raise SchemaError(f"{folder}/{name}.json: {error}") from error


class _Parser:
    """The state of parsing one file: its structs, and the fields of its common structs."""

    def __init__(self, name: str, source: Mapping[str, Any]) -> None:
        self.name = name
        self.source = source
        self.versions = Versions.parse(source["validVersions"])
        self.structs: dict[str, StructSpec] = {}
        self.common = {each["name"]: each for each in source.get("commonStructs", [])}

    def message(self, folder: str) -> MessageSpec:
        _refuse_unknown_keys(self.source, _FILE_KEYS)
        if self.source["type"] not in _MESSAGE_TYPES:
            raise ValueError(f"unknown message type {self.source['type']!r}")
        if self.versions.is_empty:
            raise ValueError("no valid version")
        root = self.struct(self.name, self.source["fields"], self.versions)
        return MessageSpec(
            name=self.name,
            type=self.source["type"],
            folder=folder,
            api_key=self.source.get("apiKey"),
            listeners=tuple(self.source.get("listeners", ())),
            unstable=self.source.get("latestVersionUnstable", False),
            versions=self.versions,
            flexible=Versions.parse(self.source["flexibleVersions"]).intersect(self.versions),
            root=root,
            structs=self.structs,
        )

    def struct(self, name: str, fields: list[Mapping[str, Any]], versions: Versions) -> StructSpec:
        parsed = tuple(self.field(each, versions) for each in fields)
        spec = StructSpec(name=name, versions=versions, fields=parsed)
        _check_struct(spec)
        return spec

    def field(self, source: Mapping[str, Any], within: Versions) -> FieldSpec:
        name = source["name"]
        try:
            _refuse_unknown_keys(source, _FIELD_KEYS)
            tagged = Versions.parse(source.get("taggedVersions", "none")).intersect(within)
            declared = source["versions"] if "versions" in source else source["taggedVersions"]
            versions = Versions.parse(declared).intersect(within)
            nullable = Versions.parse(source.get("nullableVersions", "none")).intersect(versions)
            kind = parse_type(source["type"])
            if kind.struct_name:
                self.nested(kind.struct_name, source.get("fields"), versions)
            flexible = source.get("flexibleVersions")
            spec = FieldSpec(
                name=name,
                type=kind,
                versions=versions,
                nullable=nullable,
                tagged=tagged,
                tag=source.get("tag", -1),
                default=parse_default(kind, source, nullable=not nullable.is_empty),
                ignorable=source.get("ignorable", False),
                flexible=None if flexible is None else Versions.parse(flexible),
            )
            _check_field(spec)
        except (KeyError, ValueError) as error:
            raise ValueError(f"field {name}: {error}") from error
        return spec

    def nested(self, name: str, fields: list[Mapping[str, Any]] | None, used: Versions) -> None:
        """Note a struct that is used in the versions `used`; a common one may be used again."""
        if fields is None:
            common = self.common.get(name)
            if common is None:
                raise ValueError(f"struct {name} has no fields")
            seen = self.structs.get(name)
            versions = used if seen is None else _hull(used, seen.versions)
            self.structs[name] = self.struct(name, common["fields"], versions)
        elif name in self.structs or name in self.common:
            raise ValueError(f"struct {name} is declared twice")
        else:
            self.structs[name] = self.struct(name, fields, used)


def parse_type(text: str) -> FieldType:
    """The type that `text` spells.

    Raises:
        ValueError: naming the text.
    """
    if text.startswith("[]"):
        element = parse_type(text[2:])
        if element.is_array or element.kind == "records":
            raise ValueError(f"no array of {element}")
        return FieldType(kind="array", element=element)
    if text in FIXED_CODES or text in SIZED_TYPES:
        return FieldType(kind=text)
    if re.fullmatch(r"[A-Z][A-Za-z0-9]*", text):
        return FieldType(kind="struct", struct=text)
    raise ValueError(f"unknown type {text!r}")


def parse_default(kind: FieldType, source: Mapping[str, Any], *, nullable: bool) -> Any:
    """The default as a Python value; what a type defaults to where the schema is silent.

    Raises:
        ValueError: if the schema's default does not fit the type.
    """
    given = source.get("default", "")
    if given is None and kind.is_struct:
        # As in Kafka's generator: a null that is not in quotes counts as no default.
        return {}
    if given is None or given == "null":
        if not nullable:
            raise ValueError("null default of a field that is not nullable")
        return None
    if kind.kind == "records":
        return None
    if kind.is_array:
        return []
    if kind.is_struct:
        return {}
    if kind.kind == "string":
        return given
    if given == "":
        return _ZERO[kind.kind]
    if kind.kind == "bool":
        return {"true": True, "false": False}[str(given).lower()]
    if kind.kind == "float64":
        return float(given)
    if kind.kind.removeprefix("u").startswith("int"):
        return int(str(given), 0)
    raise ValueError(f"a default for {kind} must be empty or null")


_ZERO: dict[str, Any] = {
    "bool": False, "int8": 0, "int16": 0, "uint16": 0, "int32": 0, "uint32": 0, "int64": 0,
    "float64": 0.0, "uuid": bytes(16), "bytes": b"",
}  # fmt: skip


def _refuse_unknown_keys(source: Mapping[str, Any], known: set[str]) -> None:
    unknown = sorted(set(source) - known)
    if unknown:
        raise ValueError(f"unknown keys {', '.join(unknown)}")


def _hull(one: Versions, other: Versions) -> Versions:
    return Versions(min(one.low, other.low), max(one.high, other.high))


def _check_field(spec: FieldSpec) -> None:
    if spec.is_tagged:
        if spec.tag < 0:
            raise ValueError("tagged without a tag")
        if spec.tagged != spec.versions:
            raise ValueError("tagged in some of its versions only")
        if spec.type.kind == "records":
            raise ValueError("records cannot be tagged")
    elif spec.tag >= 0:
        raise ValueError("a tag, but no tagged versions")
    if not spec.nullable.is_empty and spec.type.is_fixed:
        raise ValueError(f"{spec.type} cannot be null")


def _check_struct(spec: StructSpec) -> None:
    names = [each.attribute for each in spec.fields]
    if len({*names}) != len(names):
        raise ValueError(f"struct {spec.name} has a field twice")
    tags = [each.tag for each in spec.tagged_fields]
    if len({*tags}) != len(tags):
        raise ValueError(f"struct {spec.name} uses a tag twice")


def without_extensions(message: MessageSpec, first_tag: int) -> MessageSpec:
    """The message without the tagged fields from `first_tag` on: as released Kafka has it."""

    def trimmed(struct: StructSpec) -> StructSpec:
        return replace(struct, fields=tuple(f for f in struct.fields if f.tag < first_tag))

    structs = {name: trimmed(each) for name, each in message.structs.items()}
    return replace(message, root=trimmed(message.root), structs=structs)
