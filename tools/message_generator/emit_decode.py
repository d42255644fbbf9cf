"""Emits the functions that read: one per message, one per struct array, one per tag section.

All keep the buffer and the position in local variables and set the slots of a bare object, which
is a third cheaper than calling `__init__`. See `layout.py` for how fields are read together.
"""

from functools import partial

from tools.message_generator.layout import TAGS, Atom, Run, Segment, opening, runs
from tools.message_generator.names import Names
from tools.message_generator.source import Source
from tools.message_generator.spec import FIXED_CODES, FieldSpec, MessageSpec, StructSpec
from tools.message_generator.versions import Versions

_SHORT = 0x7F


class DecodeEmitter:
    """Emits the reading half of one message into `out`."""

    def __init__(self, message: MessageSpec, names: Names, out: Source) -> None:
        self._message = message
        self._names = names
        self._out = out
        self._buffer = "memoryview" if message.has_records() else "bytes"
        self._buf = "reader.view()" if message.has_records() else "reader.snapshot()"
        self._elements = "reader.elements"

    def method(self) -> None:
        """The `decode` class method of the message."""
        out, name = self._out, self._message.name
        out.line("@classmethod")
        with out.block("def decode(cls, reader: Reader, version: int) -> Self:"):
            out.line('"""The message at the reader\'s position; see `protocol.message.Message`."""')
            self._check_version()
            out.line(f"buf = {self._buf}")
            out.line("pos = reader.pos")
            with out.block("try:"):
                out.line("it = new(cls)")
                self._body(self._message.root)
            with out.block("except DECODE_FAILURES as failure:"):
                out.line(f'raise malformed("{name}", version, len(buf), failure) from None')
            with out.block("if pos > len(buf):"):
                out.line(f'raise cut_short("{name}", version, len(buf))')
            out.line("reader.pos = pos")
            out.line("return it")

    def helpers(self) -> None:
        """The functions for structs and tag sections."""
        self._elements = "elements"
        for struct in self._message.structs.values():
            self._array(struct)
        for struct in self._message.all_structs():
            if struct.tagged_fields:
                self._tag_section(struct)

    def _check_version(self) -> None:
        low, high = self._message.versions
        test = f"version != {low}" if low == high else f"not {low} <= version <= {high}"
        with self._out.block(f"if {test}:"):
            self._out.line(f'raise UnknownMessageVersionError("{self._message.name}", version)')

    def _array(self, struct: StructSpec) -> None:
        out, kind = self._out, self._names.of(struct.name)
        out.line()
        out.line()
        out.line(f"def {self._names.reader(struct.name)}(")
        out.line(
            f"    buf: {self._buffer}, pos: int, count: int, version: int, elements: ElementBudget"
        )
        with out.block(f") -> tuple[list[{kind}], int]:"):
            with out.block("if count > 1:"):
                out.line("elements.take(count, len(buf) - pos)")
            out.line(f"items: list[{kind}] = []")
            with out.block("for _ in range(count):"):
                out.line(f"it = new({kind})")
                self._body(struct)
                out.line("items.append(it)")
            out.line("return items, pos")

    def _body(self, struct: StructSpec) -> None:
        """Read all fields of `struct` into `it`."""
        out, within = self._out, struct.versions
        for field in struct.fields:
            if field.is_tagged or field.versions.is_empty:
                out.line(f"it.{field.attribute} = {self._names.default(field)}")
        for run in runs(self._message, struct):
            self._run(run, within)
        flexible = self._message.flexible.intersect(within)
        if flexible.is_empty:
            return
        out.line("it.unknown_tagged_fields = None")
        with out.when(flexible, within), out.block("if tags:"):
            self._read_tags(struct)

    def _read_tags(self, struct: StructSpec) -> None:
        if struct.tagged_fields:
            reader = self._names.tag_reader(struct.name)
            self._out.line(f"pos = {reader}(it, buf, pos, tags, version, {self._elements})")
        else:
            self._out.line(
                "it.unknown_tagged_fields, pos = "
                f"read_tagged_fields(buf, pos, tags, {self._elements})"
            )

    def _run(self, run: Run, within: Versions) -> None:
        self._out.chain([(s.versions.low, partial(self._segment, s)) for s in run.segments(within)])
        if run.variable is not None:
            self._variable(run.variable, within)

    def _segment(self, segment: Segment) -> None:
        """Read what is present at these versions, give what is absent its default."""
        out = self._out
        for atom in segment.absent:
            if atom.field is not None and not atom.role:
                out.line(f"it.{atom.field.attribute} = {self._names.default(atom.field)}")
        if not segment.present:
            return
        codes = segment.codes
        targets = [_target(atom) for atom in segment.present]
        if codes == ["B"]:
            out.line(f"{targets[0]} = buf[pos]")
        else:
            comma = "," if len(targets) == 1 else ""
            out.items("(", targets, f"{comma}) = {out.unpack(codes)}(buf, pos)")
        out.line(f"pos += {_width(codes)}")
        for atom in segment.present:
            if atom.field is not None and not atom.role and atom.field.type.kind == "uuid":
                out.line(f"it.{atom.field.attribute} = new_uuid(Uuid, {_target(atom)})")
        closing = segment.closing
        if closing is None:
            return
        if closing.role == TAGS:
            self._long_varint("tags")
        elif codes[-1] == "B":
            self._long_varint("n")
            out.line("n -= 1")

    def _long_varint(self, target: str) -> None:
        with self._out.block(f"if {target} > {_SHORT}:"):
            self._out.line(f"{target}, pos = read_uvarint(buf, pos - 1)")

    def _variable(self, field: FieldSpec, within: Versions) -> None:
        """Read the content of `field`, whose length or marker is in `n`."""
        out = self._out
        with out.when(field.versions, within):
            self._content(field, field.versions.intersect(within))
        condition = field.versions.condition(within)
        if condition is not None:
            with out.block("else:"):
                out.line(f"it.{field.attribute} = {self._names.default(field)}")

    def _content(self, field: FieldSpec, within: Versions) -> None:
        out, target = self._out, f"it.{field.attribute}"
        if field.type.is_struct and field.nullable.is_empty:
            self._one_struct(field)
            return
        with out.block("if n > 0:" if field.is_null_written else "if n >= 0:"):
            self._present(field, target, within)
        with out.block("else:"):
            nullable = field.nullable.intersect(within)
            refusal = f'raise null_not_allowed("{field.name}")'
            if nullable.is_empty:
                out.line(refusal)
                return
            if not nullable.covers(within):
                condition = nullable.condition(within)
                with out.block(f"if not ({condition}):"):
                    out.line(refusal)
            out.line(f"{target} = None")

    def _present(self, field: FieldSpec, target: str, within: Versions) -> None:
        out, kind = self._out, field.type.kind
        if kind in ("string", "bytes", "records"):
            slice_ = "buf[pos:end]"
            text = (
                f'str({slice_}, "utf-8")' if self._buffer == "memoryview" else f"{slice_}.decode()"
            )
            data = f"bytes({slice_})" if self._buffer == "memoryview" else slice_
            out.line("end = pos + n")
            out.line(f"{target} = {({'string': text, 'bytes': data, 'records': slice_})[kind]}")
            out.line("pos = end")
        elif field.type.is_struct:
            self._one_struct(field)
        else:
            self._array_content(field, target, within)

    def _array_content(self, field: FieldSpec, target: str, within: Versions) -> None:
        out, element = self._out, field.type.element
        assert element is not None
        if element.is_struct:
            reader = self._names.reader(element.struct)
            out.line(f"{target}, pos = {reader}(buf, pos, n, version, {self._elements})")
        elif element.kind == "int32":
            out.line(f"{target}, pos = read_int32s(buf, pos, n, {self._elements})")
        elif element.kind == "uuid":
            out.line(f"{target}, pos = read_uuids(buf, pos, n, {self._elements})")
        elif element.kind == "string":
            flexible = self._message.flexible.intersect(within)
            if flexible.is_empty or flexible.covers(within):
                reader = "read_strings" if flexible.is_empty else "read_compact_strings"
                out.line(f"{target}, pos = {reader}(buf, pos, n, {self._elements})")
            else:
                with out.block(f"if {flexible.condition(within)}:"):
                    out.line(f"{target}, pos = read_compact_strings(buf, pos, n, {self._elements})")
                with out.block("else:"):
                    out.line(f"{target}, pos = read_strings(buf, pos, n, {self._elements})")
        elif element.is_fixed:
            code = FIXED_CODES[element.kind]
            number = f'"{code}", {_width([code])}, {self._elements}'
            out.line(f"{target}, pos = read_fixed(buf, pos, n, {number})")
        else:
            raise ValueError(f"{field.name}: no emitter for {field.type}")

    def _one_struct(self, field: FieldSpec) -> None:
        reader = self._names.reader(field.type.struct)
        self._out.line(
            f"(it.{field.attribute},), pos = {reader}(buf, pos, 1, version, {self._elements})"
        )

    def _tag_section(self, struct: StructSpec) -> None:
        out, kind = self._out, self._names.of(struct.name)
        out.line()
        out.line()
        out.line(f"def {self._names.tag_reader(struct.name)}(")
        out.line(f"    it: {kind}, buf: {self._buffer}, pos: int, count: int, version: int,")
        out.line("    elements: ElementBudget,")
        with out.block(") -> int:"):
            with out.block("if count > 1:"):
                out.line("elements.take(count, len(buf) - pos)")
            out.line("unknown: TaggedFields = []")
            with out.block("for _ in range(count):"):
                out.line("tag, pos = read_uvarint(buf, pos)")
                out.line("size, pos = read_uvarint(buf, pos)")
                out.line("end_of_field = pos + size")
                self._known_tags(struct)
                with out.block("if pos != end_of_field:"):
                    out.line("raise wrong_tag_size(tag, size)")
            out.line("it.unknown_tagged_fields = unknown or None")
            out.line("return pos")

    def _known_tags(self, struct: StructSpec) -> None:
        out, head = self._out, "if"
        flexible = self._message.flexible.intersect(struct.versions)
        for field in struct.tagged_fields:
            condition = field.versions.condition(flexible)
            test = f"tag == {field.tag}" + (f" and {condition}" if condition else "")
            with out.block(f"{head} {test}:"):
                atom = opening(field, flexible)
                variable = None if field.type.is_fixed else field
                run = Run(atoms=() if atom is None else (atom,), variable=variable)
                self._run(run, field.versions)
            head = "elif"
        with out.block("else:"):
            out.line("unknown.append((tag, bytes(buf[pos:end_of_field])))")
            out.line("pos = end_of_field")


def _target(atom: Atom) -> str:
    if atom.role == TAGS:
        return "tags"
    if atom.role:
        return "n"
    assert atom.field is not None
    if atom.field.type.kind == "uuid":
        return f"raw_{atom.field.attribute}"
    return f"it.{atom.field.attribute}"


def _width(codes: list[str]) -> int:
    sizes = {"?": 1, "b": 1, "B": 1, "h": 2, "H": 2, "i": 4, "I": 4, "q": 8, "d": 8, "16s": 16}
    return sum(sizes[code] for code in codes)
