"""Emits the functions that write: one per message, one per struct array, one per tag section.

A run of fixed-width fields and the length behind it is packed by one call. A length or a tag count
that needs more than one byte as a varint is rare: it is packed as one byte first and replaced then.
"""

from functools import partial

from tools.message_generator.layout import LENGTH, MARKER, TAGS, Atom, Run, Segment, opening, runs
from tools.message_generator.names import Names
from tools.message_generator.source import Source
from tools.message_generator.spec import FIXED_CODES, FieldSpec, MessageSpec, StructSpec
from tools.message_generator.versions import Versions


class EncodeEmitter:
    """Emits the writing half of one message into `out`."""

    def __init__(self, message: MessageSpec, names: Names, out: Source) -> None:
        self._message = message
        self._names = names
        self._out = out
        self._with_records = _structs_with_records(message)

    def method(self) -> None:
        """The `encode` method of the message."""
        out, name = self._out, self._message.name
        low, high = self._message.versions
        test = f"version != {low}" if low == high else f"not {low} <= version <= {high}"
        with out.block("def encode(self, writer: Writer, version: int) -> None:"):
            out.line('"""Append the message; see `protocol.message.Message`."""')
            with out.block(f"if {test}:"):
                out.line(f'raise UnknownMessageVersionError("{name}", version)')
            out.line("out = writer.buf")
            out.line("it = self")
            self._body(self._message.root)

    def helpers(self) -> None:
        """The functions for structs and tag sections."""
        for struct in self._message.structs.values():
            self._array(struct)
        for struct in self._message.all_structs():
            if struct.tagged_fields:
                self._tag_section(struct)

    def _array(self, struct: StructSpec) -> None:
        out, kind = self._out, self._names.of(struct.name)
        records = struct.name in self._with_records
        sink = "writer: Writer" if records else "out: bytearray"
        out.line()
        out.line()
        out.line(f"def {self._names.writer(struct.name)}(")
        out.line(f"    {sink}, items: Iterable[{kind}], version: int")
        with out.block(") -> None:"):
            if records:
                out.line("out = writer.buf")
            with out.block("for it in items:"):
                before = len(out.lines)
                self._body(struct)
                if len(out.lines) == before:
                    out.line("pass")

    def _body(self, struct: StructSpec) -> None:
        within = struct.versions
        for run in runs(self._message, struct):
            self._run(run, within)
        flexible = self._message.flexible.intersect(within)
        if flexible.is_empty:
            for field in struct.tagged_fields:
                self._refuse_if_set(field)
            return
        self._refuse_early_tags(struct)
        with self._out.when(flexible, within):
            self._tags(struct)

    def _refuse_early_tags(self, struct: StructSpec) -> None:
        """Tagged fields that the version lacks but that are set."""
        for field in struct.tagged_fields:
            if field.ignorable or field.versions.covers(struct.versions):
                continue
            condition = field.versions.condition(struct.versions)
            with self._out.block(f"if not ({condition}) and {self._set(field)}:"):
                self._refuse(field)

    def _tags(self, struct: StructSpec) -> None:
        out = self._out
        if not struct.tagged_fields:
            with out.block("if it.unknown_tagged_fields:"):
                out.line("out.pop()")
                out.line("write_tagged_fields(out, [], it.unknown_tagged_fields)")
            return
        tests = ["it.unknown_tagged_fields", *(self._set(f) for f in struct.tagged_fields)]
        if len(tests) == 2:
            out.line(f"if {' or '.join(tests)}:")
        else:
            out.line("if (")
            with out.indented():
                out.line(tests[0])
                for test in tests[1:]:
                    out.line(f"or {test}")
            out.line("):")
        with out.indented():
            out.line("out.pop()")
            out.line(f"{self._names.tag_writer(struct.name)}(out, it, version)")

    def _run(self, run: Run, within: Versions) -> None:
        if run.variable is not None:
            self._prepare(run.variable, within)
        self._out.chain([(s.versions.low, partial(self._segment, s)) for s in run.segments(within)])
        if run.variable is not None:
            with self._out.when(run.variable.versions, within):
                self._content(run.variable, run.variable.versions.intersect(within))

    def _segment(self, segment: Segment) -> None:
        out = self._out
        for atom in segment.absent:
            if atom.field is not None and not atom.role:
                self._refuse_if_set(atom.field)
        if not segment.present:
            return
        codes = segment.codes
        closing = segment.closing
        if codes == ["B"]:
            assert closing is not None
            out.line("out.append(0)" if closing.role == TAGS else "out.append((n + 1) & 0x7F)")
        else:
            values = [_value(atom, code) for atom, code in zip(segment.present, codes, strict=True)]
            if closing is not None and closing.role == TAGS:
                codes, values = [*codes[:-1], "x"], values[:-1]
            out.items(f"out += {out.pack(codes)}(", values, ")")
        if closing is not None and closing.role == LENGTH and segment.codes[-1] == "B":
            with out.block("if n > 126:"):
                out.line("out[-1:] = uvarint(n + 1)")

    def _prepare(self, field: FieldSpec, within: Versions) -> None:
        """Set `n` to what goes in front of the field: its length or marker, -1 for null."""
        out = self._out
        if field.type.is_struct and field.nullable.is_empty:
            self._check_absent(field, within)
            return
        with out.when(field.versions, within):
            value = f"it.{field.attribute}"
            out.line(f"{_local(field)} = {value}")
            self._length(field, field.versions.intersect(within))
        self._check_absent(field, within, has_branch=True)

    def _check_absent(
        self, field: FieldSpec, within: Versions, *, has_branch: bool = False
    ) -> None:
        condition = field.versions.condition(within)
        if condition is None or field.ignorable:
            return
        test = self._set(field)
        head = f"elif {test}:" if has_branch else f"if not ({condition}) and {test}:"
        with self._out.block(head):
            self._refuse(field)

    def _length(self, field: FieldSpec, within: Versions) -> None:
        out, value, kind = self._out, _local(field), field.type.kind
        nullable = field.nullable.intersect(within)
        may_be_none = "| None" in self._names.annotation(field)
        if may_be_none:
            with out.block(f"if {value} is None:"):
                if nullable.is_empty:
                    self._refuse_null(field)
                else:
                    if not nullable.covers(within):
                        with out.block(f"if not ({nullable.condition(within)}):"):
                            self._refuse_null(field)
                    # A tagged struct has the marker 0 or 1, unlike one in the body (-1 or 1).
                    out.line("n = 0" if field.is_null_written else "n = -1")
                    if kind == "string":
                        out.line('data = b""')
            if nullable.is_empty:
                self._count(field, value)
            else:
                with out.block("else:"):
                    self._count(field, value)
        else:
            self._count(field, value)

    def _count(self, field: FieldSpec, value: str) -> None:
        out, kind = self._out, field.type.kind
        if kind == "string":
            out.line(f"data = {value}.encode()")
            out.line("n = len(data)")
        elif kind == "records":
            out.line(f"n = records_size({value})")
        elif kind == "struct":
            out.line("n = 1")
        else:
            out.line(f"n = len({value})")

    def _content(self, field: FieldSpec, within: Versions) -> None:
        out, value, kind = self._out, _local(field), field.type.kind
        if kind == "string":
            out.line("out += data")
            return
        if field.type.is_struct and field.nullable.is_empty:
            out.line(f"{self._write_call(field, f'(it.{field.attribute},)')}")
            return
        with (
            out.block(f"if {value}:")
            if kind in ("array", "bytes")
            else out.block(f"if {value} is not None:")
        ):
            if kind == "bytes":
                out.line(f"out += {value}")
            elif kind == "records":
                out.line(f"writer.splice({value})")
            elif kind == "struct":
                out.line(self._write_call(field, f"({value},)"))
            else:
                self._array_content(field, value, within)

    def _write_call(self, field: FieldSpec, items: str) -> str:
        name = field.type.struct_name
        sink = "writer" if name in self._with_records else "out"
        return f"{self._names.writer(name)}({sink}, {items}, version)"

    def _array_content(self, field: FieldSpec, value: str, within: Versions) -> None:
        out, element = self._out, field.type.element
        assert element is not None
        if element.is_struct:
            out.line(self._write_call(field, value))
        elif element.kind == "int32":
            out.line(f"out += pack_int32s({value})")
        elif element.kind == "uuid":
            out.line(f'out += b"".join({value})')
        elif element.kind == "string":
            flexible = self._message.flexible.intersect(within)
            if flexible.is_empty or flexible.covers(within):
                writer = "write_strings" if flexible.is_empty else "write_compact_strings"
                out.line(f"{writer}(out, {value})")
            else:
                with out.block(f"if {flexible.condition(within)}:"):
                    out.line(f"write_compact_strings(out, {value})")
                with out.block("else:"):
                    out.line(f"write_strings(out, {value})")
        elif element.is_fixed:
            out.line(f'out += pack_fixed({value}, "{FIXED_CODES[element.kind]}")')
        else:
            raise ValueError(f"{field.name}: no emitter for {field.type}")

    def _tag_section(self, struct: StructSpec) -> None:
        out, kind = self._out, self._names.of(struct.name)
        flexible = self._message.flexible.intersect(struct.versions)
        out.line()
        out.line()
        out.line(f"def {self._names.tag_writer(struct.name)}(")
        out.line(f"    section: bytearray, it: {kind}, version: int")
        with out.block(") -> None:"):
            out.line("fields: TaggedFields = []")
            for field in struct.tagged_fields:
                condition = field.versions.condition(flexible)
                test = self._set(field)
                with out.block(f"if {condition} and {test}:" if condition else f"if {test}:"):
                    self._tagged(field, flexible)
            out.line("write_tagged_fields(section, fields, it.unknown_tagged_fields)")

    def _tagged(self, field: FieldSpec, flexible: Versions) -> None:
        out = self._out
        out.line("out = bytearray()")
        atom = opening(field, flexible)
        variable = None if field.type.is_fixed else field
        run = Run(atoms=() if atom is None else (atom,), variable=variable)
        self._run(run, field.versions)
        out.line(f"fields.append(({field.tag}, bytes(out)))")

    def _set(self, field: FieldSpec) -> str:
        """The test whether a field differs from its default.

        An optional struct counts as set only if one of its own fields is: Kafka leaves a tagged
        struct out when it equals a new one. One that may be null is then set if it is None.
        """
        value = f"it.{field.attribute}"
        test = self._names.is_set(field, value)
        if not field.is_optional_struct or field.default is None:
            return test
        inner = self._message.structs[field.type.struct]
        parts = [
            self._names.is_set(each, f"{value}.{each.attribute}")
            for each in inner.fields
            if not each.versions.is_empty
        ]
        if not self._message.flexible.intersect(inner.versions).is_empty:
            parts.append(f"{value}.unknown_tagged_fields")
        if field.is_null_written:
            return f"({value} is None or {' or '.join(parts)})"
        return f"({test} and ({' or '.join(parts)}))"

    def _refuse_if_set(self, field: FieldSpec) -> None:
        if not field.ignorable:
            with self._out.block(f"if {self._set(field)}:"):
                self._refuse(field)

    def _refuse(self, field: FieldSpec) -> None:
        self._out.line(
            f'raise UnsupportedFieldError("{self._message.name}", "{field.attribute}", version)'
        )

    def _refuse_null(self, field: FieldSpec) -> None:
        name = f"null {field.attribute}"
        self._out.line(f'raise UnsupportedFieldError("{self._message.name}", "{name}", version)')


def _local(field: FieldSpec) -> str:
    """A local name for the field's value that no other name of the function can be."""
    return f"its_{field.attribute}"


def _value(atom: Atom, code: str) -> str:
    if atom.role == MARKER:
        return "n"
    if atom.role == LENGTH:
        return "(n + 1) & 0x7F" if code == "B" else "n"
    if atom.role == TAGS:
        return ""
    assert atom.field is not None
    return f"it.{atom.field.attribute}"


def _structs_with_records(message: MessageSpec) -> set[str]:
    """The structs that hold a `records` field, directly or further down."""
    holders: set[str] = set()
    for struct in message.all_structs():
        for each in struct.fields:
            if each.type.kind == "records" or each.type.struct_name in holders:
                holders.add(struct.name)
    return holders
