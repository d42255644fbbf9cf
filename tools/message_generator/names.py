"""Python names and default values for the structs and fields of one generated module.

A request and its response share a module. A struct that both of them declare carries the name of
its message in front, in both.
"""

from collections import Counter
from collections.abc import Sequence

from tools.message_generator.naming import snake
from tools.message_generator.spec import FieldSpec, FieldType, MessageSpec

_PYTHON_TYPES = {
    "bool": "bool",
    "float64": "float",
    "uuid": "Uuid",
    "string": "str",
    "bytes": "bytes",
    "records": "Records",
}


class Names:
    """The names of one message's structs in their module."""

    def __init__(self, message: MessageSpec, module: Sequence[MessageSpec]) -> None:
        """`module` is all messages that are generated into the same module."""
        counts = Counter(name for each in module for name in each.structs)
        self._classes = {
            name: name if counts[name] == 1 else f"{message.name}{name}" for name in message.structs
        }
        self._classes[message.name] = message.name

    def of(self, struct: str) -> str:
        """The class of a struct."""
        return self._classes[struct]

    def reader(self, struct: str) -> str:
        """The function that reads an array of it."""
        return f"_read_{snake(self.of(struct))}_list"

    def writer(self, struct: str) -> str:
        """The function that writes an array of it."""
        return f"_write_{snake(self.of(struct))}_list"

    def tag_reader(self, struct: str) -> str:
        """The function that reads its tag section."""
        return f"_read_tags_of_{snake(self.of(struct))}"

    def tag_writer(self, struct: str) -> str:
        """The function that writes its tag section."""
        return f"_write_tags_of_{snake(self.of(struct))}"

    def annotation(self, field: FieldSpec) -> str:
        """The Python type of a field."""
        base = self._type(field.type)
        nullable = not field.nullable.is_empty or field.default is None or field.is_optional_struct
        return f"{base} | None" if nullable else base

    def _type(self, kind: FieldType) -> str:
        if kind.element is not None:
            return f"list[{self._type(kind.element)}]"
        if kind.is_struct:
            return self.of(kind.struct)
        return _PYTHON_TYPES.get(kind.kind, "int")

    def default(self, field: FieldSpec) -> str:
        """The default as an expression that makes a new value each time."""
        if field.default is None or field.is_optional_struct:
            return "None"
        if field.type.is_struct:
            return f"{self.of(field.type.struct)}()"
        if field.type.kind == "uuid":
            return "ZERO_UUID"
        if field.type.kind == "string":
            return f'"{field.default}"'
        return repr(field.default)

    def is_set(self, field: FieldSpec, value: str) -> str:
        """The Python test whether `value` differs from the field's default."""
        if field.default is None or field.is_optional_struct:
            return f"{value} is not None"
        if field.type.kind == "bool":
            return f"not {value}" if field.default else value
        return f"{value} != {self.default(field)}"
