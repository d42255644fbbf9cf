"""The contents of a schema file, as values.

Source: Kafka's message schema language (`clients/src/main/resources/common/message`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tools.message_generator.naming import screaming_snake, snake
from tools.message_generator.versions import Versions

FIXED_CODES = {
    "bool": "?",
    "int8": "b",
    "int16": "h",
    "uint16": "H",
    "int32": "i",
    "uint32": "I",
    "int64": "q",
    "float64": "d",
    "uuid": "16s",
}
"""Types of fixed width, with their `struct` code (big-endian)."""

PACKAGES = {
    "rpc": "",
    "metadata": "metadata_records/",
    "coordinator": "coordinator/",
    "data": "data/",
}
"""Folder under `schemas/` -> package under `minikafka/messages/`; `metadata` is an API there."""

SIZED_TYPES = ("string", "bytes", "records")
"""Primitive types that carry their length in front."""


@dataclass(frozen=True, kw_only=True)
class FieldType:
    """A primitive type by Kafka's name, `array` of an element, or `struct` by its name."""

    kind: str
    element: "FieldType | None" = None
    struct: str = ""

    @property
    def is_fixed(self) -> bool:
        """True if every value takes the same number of bytes."""
        return self.kind in FIXED_CODES

    @property
    def is_array(self) -> bool:
        """True if it is an array."""
        return self.kind == "array"

    @property
    def is_struct(self) -> bool:
        """True if it is one struct."""
        return self.kind == "struct"

    @property
    def struct_name(self) -> str:
        """The struct that it is or that its elements are; empty for everything else."""
        return self.element.struct_name if self.element is not None else self.struct

    def __str__(self) -> str:
        if self.element is not None:
            return f"[]{self.element}"
        return self.struct or self.kind


@dataclass(frozen=True, kw_only=True)
class FieldSpec:
    """One field.

    `default` is a Python value; None is null, `[]` and `{}` are an empty array and a new struct.
    """

    name: str
    type: FieldType
    versions: Versions
    nullable: Versions
    tagged: Versions
    tag: int
    default: Any
    ignorable: bool
    flexible: Versions | None = None

    @property
    def attribute(self) -> str:
        """The Python name."""
        return snake(self.name)

    @property
    def is_tagged(self) -> bool:
        """True if it is in the tag section (then in all its versions)."""
        return not self.tagged.is_empty

    @property
    def is_optional_struct(self) -> bool:
        """True if it is a tagged struct: None then stands for "tag absent"."""
        return self.is_tagged and self.type.is_struct

    @property
    def is_null_written(self) -> bool:
        """True if None is sent as a null: where the tag is absent, Kafka has a new struct."""
        return self.is_optional_struct and not self.nullable.is_empty and self.default is not None


@dataclass(frozen=True, kw_only=True)
class StructSpec:
    """A struct; `versions` are those of the message in which it can occur."""

    name: str
    versions: Versions
    fields: tuple[FieldSpec, ...]

    @property
    def plain_fields(self) -> tuple[FieldSpec, ...]:
        """The fields outside the tag section, in wire order."""
        return tuple(each for each in self.fields if not each.is_tagged)

    @property
    def tagged_fields(self) -> tuple[FieldSpec, ...]:
        """The fields in the tag section, by tag."""
        return tuple(sorted((f for f in self.fields if f.is_tagged), key=lambda f: f.tag))


@dataclass(frozen=True, kw_only=True)
class MessageSpec:
    """One schema file. `root` is the message itself; `structs` are its structs, innermost first."""

    name: str
    type: str
    folder: str
    api_key: int | None
    listeners: tuple[str, ...]
    unstable: bool
    versions: Versions
    flexible: Versions
    root: StructSpec
    structs: dict[str, StructSpec] = field(default_factory=dict)

    @property
    def file(self) -> str:
        """Its path in the repository."""
        return f"schemas/{self.folder}/{self.name}.json"

    @property
    def base_name(self) -> str:
        """The name that a request and its response, or a key and its value, share."""
        for suffix in _PAIR_SUFFIXES.get(self.type, ()):
            if self.name.endswith(suffix):
                return self.name.removesuffix(suffix)
        return self.name

    @property
    def module(self) -> str:
        """The module it is generated into, relative to `minikafka.messages`, with slashes."""
        if self.type == "header":
            return "headers"
        package = PACKAGES[self.folder]
        return package + snake(self.base_name)

    @property
    def constant(self) -> str:
        """The name of its API in capitals."""
        return screaming_snake(self.base_name)

    def all_structs(self) -> Iterator[StructSpec]:
        """Every struct, innermost first, the message itself last."""
        yield from self.structs.values()
        yield self.root

    def has_records(self) -> bool:
        """True if a `records` field is anywhere in it."""
        return any(f.type.kind == "records" for s in self.all_structs() for f in s.fields)


_PAIR_SUFFIXES = {
    "request": ("Request",),
    "response": ("Response",),
    "coordinator-key": ("Key",),
    "coordinator-value": ("Value",),
}
