"""Messages made up from the schemas: any message, any version, any value it can carry."""

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.protocol.message import Message
from tests.worlds.all_messages import make_importable
from tools.message_generator.names import Names
from tools.message_generator.parse import parse_folder
from tools.message_generator.spec import FieldSpec, FieldType, MessageSpec, StructSpec

SCHEMAS = Path(__file__).resolve().parents[2] / "schemas"

_INT_BITS = {
    "int8": 8, "int16": 16, "uint16": 16, "int32": 32, "uint32": 32, "int64": 64,
}  # fmt: skip
_TEXTS = ("", "a", "topic-1", "größer", "日本", "x" * 126, "x" * 127, "x" * 128, "y" * 300)
_CODES = [int(code) for code in ErrorCode if code < 100]


class Case(NamedTuple):
    """One message in one version."""

    spec: MessageSpec
    version: int

    def __str__(self) -> str:
        return f"{self.spec.name}-v{self.version}"


class Limits(NamedTuple):
    """Bounds of samples; the types of another codec may hold less than the protocol allows."""

    unknown_tags: bool = True
    own_tags: bool = True
    tame_numbers: bool = False


ANYTHING = Limits()


def is_own(field: FieldSpec) -> bool:
    """Whether a field is an extension of this project (schemas/README.md)."""
    return field.tag is not None and field.tag >= 10_000


@cache
def all_specs() -> list[MessageSpec]:
    return parse_folder(SCHEMAS)


def all_cases() -> Iterator[Case]:
    for spec in all_specs():
        for version in range(spec.versions.low, spec.versions.high + 1):
            yield Case(spec, version)


@cache
def _classes(module: str) -> tuple[Any, dict[str, Names]]:
    messages = [spec for spec in all_specs() if spec.module == module]
    make_importable()
    loaded = import_module(f"minikafka.messages.{module.replace('/', '.')}")
    return loaded, {spec.name: Names(spec, messages) for spec in messages}


def class_of(spec: MessageSpec) -> type[Message]:
    return struct_class(spec, spec.name)


def struct_class(spec: MessageSpec, struct: str) -> Any:
    module, names = _classes(spec.module)
    return getattr(module, names[spec.name].of(struct))


def sample(case: Case, rng: Random, limits: Limits = ANYTHING) -> Any:
    """A message whose every field is drawn; fields that the version lacks keep their default."""
    return Sampler(case, rng, limits).struct(case.spec.root, depth=0)


class Sampler:
    """Draws a message, field by field."""

    def __init__(self, case: Case, rng: Random, limits: Limits) -> None:
        self.spec, self.version = case
        self.rng = rng
        self.limits = limits

    def struct(self, struct: StructSpec, depth: int) -> Any:
        values: dict[str, Any] = {
            field.attribute: self.value(field, depth)
            for field in struct.fields
            if self.version in field.versions and (self.limits.own_tags or not is_own(field))
        }
        if self.version in self.spec.flexible and self.limits.unknown_tags:
            values["unknown_tagged_fields"] = self.unknown_tags(struct)
        return struct_class(self.spec, struct.name)(**values)

    def unknown_tags(self, struct: StructSpec) -> list[tuple[int, bytes]] | None:
        if self.rng.randrange(8):
            return None
        known = [field.tag for field in struct.tagged_fields]
        tags = [tag for tag in (3, 77, 300, 20_000) if tag not in known]
        return [(tag, bytes(self.rng.randrange(4))) for tag in tags]

    def value(self, field: FieldSpec, depth: int) -> Any:
        if self.version in field.nullable and not self.rng.randrange(4):
            return None
        if field.is_optional_struct:
            made = self.of_type(field, field.type, depth)
            empty = struct_class(self.spec, field.type.struct)()
            return None if field.default is not None and made == empty else made
        if field.type.kind == "records" and self.version not in field.nullable:
            return b"records"
        return self.of_type(field, field.type, depth)

    def of_type(self, field: FieldSpec, kind: FieldType, depth: int) -> Any:
        rng = self.rng
        if kind.element is not None:
            count = rng.choice((0, 1, 1, 2) if depth else (0, 1, 2, 3))
            if kind.element.is_fixed and not rng.randrange(6):
                count = 130
            return [self.of_type(field, kind.element, depth + 1) for _ in range(count)]
        if kind.is_struct:
            return self.struct(self.spec.structs[kind.struct], depth + 1)
        if kind.kind in _INT_BITS:
            return self.integer(field, kind.kind)
        match kind.kind:
            case "bool":
                return rng.random() < 0.5
            case "float64":
                return rng.choice((0.0, -1.5, 1e300, float("inf")))
            case "string":
                return rng.choice(_TEXTS)
            case "uuid":
                return rng.choice((ZERO_UUID, Uuid.of(rng.getrandbits(63), rng.getrandbits(63))))
            case "records":
                return rng.choice((b"", b"r" * 100, b"r" * 5000))
            case _:
                return rng.choice((b"", b"\0\xff", b"b" * 200))

    def integer(self, field: FieldSpec, kind: str) -> int:
        bits = _INT_BITS[kind]
        if self.limits.tame_numbers:
            if field.name == "ErrorCode" or field.name.endswith("ErrorCode"):
                return self.rng.choice(_CODES)
            return self.rng.choice((0, 1, 100, min(2 ** (bits - 1) - 1, 1_000_000)))
        low, high = (
            (0, 2**bits - 1) if kind[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        )
        return self.rng.choice((low, high, 0, max(-1, low), 1, self.rng.randint(low, high)))
