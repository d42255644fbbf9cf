"""Runs of adjacent bytes of a struct, version by version.

A struct is cut into runs. A run is a row of fixed-width fields, closed by the one thing whose size
is not known in advance: the length of a string or an array, a null marker, or the number of tagged
fields. Each run becomes one call of one `struct.Struct`; the length in front of a variable part
rides along with the numbers before it. A flexible version writes lengths as varints: the run then
takes the first byte, which nearly always is the whole of it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from tools.message_generator.spec import FIXED_CODES, FieldSpec, MessageSpec, StructSpec
from tools.message_generator.versions import Versions

TAGS = "tags"
LENGTH = "length"
MARKER = "marker"


@dataclass(frozen=True, kw_only=True)
class Atom:
    """One item of a run. `role` is empty for the value of a fixed-width field itself."""

    field: FieldSpec | None
    role: str
    versions: Versions
    flexible: Versions

    def code(self, version: int) -> str:
        """Its `struct` code at `version`."""
        if self.role == MARKER:
            return "b"
        if self.role == TAGS or (self.role == LENGTH and version in self.flexible):
            return "B"
        assert self.field is not None
        if self.role == LENGTH:
            return "h" if self.field.type.kind == "string" else "i"
        return FIXED_CODES[self.field.type.kind]


@dataclass(frozen=True, kw_only=True)
class Segment:
    """The part of a run that is the same for some neighbouring versions."""

    versions: Versions
    present: tuple[Atom, ...]
    absent: tuple[Atom, ...]

    @property
    def codes(self) -> list[str]:
        """The `struct` codes of what is present."""
        return [atom.code(self.versions.low) for atom in self.present]

    @property
    def closing(self) -> Atom | None:
        """The length, marker or tag count at the end, if there is one."""
        return self.present[-1] if self.present and self.present[-1].role else None


@dataclass(frozen=True, kw_only=True)
class Run:
    """Fixed-width fields and what closes them; `variable` is the field whose content follows."""

    atoms: tuple[Atom, ...]
    variable: FieldSpec | None

    def segments(self, within: Versions) -> list[Segment]:
        """The run version by version, newest first, neighbours of the same layout merged."""
        merged: list[Segment] = []
        for versions in reversed(list(_slices(self.atoms, within))):
            present = tuple(a for a in self.atoms if versions.low in a.versions)
            absent = tuple(a for a in self.atoms if versions.low not in a.versions)
            part = Segment(versions=versions, present=present, absent=absent)
            if merged and merged[-1].present == present and merged[-1].codes == part.codes:
                joined = Versions(versions.low, merged[-1].versions.high)
                merged[-1] = Segment(versions=joined, present=present, absent=absent)
            else:
                merged.append(part)
        return merged


def runs(message: MessageSpec, struct: StructSpec) -> list[Run]:
    """The runs of a struct outside its tag section, in wire order; the last one counts the tags."""
    found: list[Run] = []
    atoms: list[Atom] = []
    flexible = message.flexible.intersect(struct.versions)

    def close(variable: FieldSpec | None) -> None:
        found.append(Run(atoms=tuple(atoms), variable=variable))
        atoms.clear()

    for field in struct.plain_fields:
        if field.versions.is_empty:
            continue
        atom = opening(field, flexible)
        if atom is not None:
            atoms.append(atom)
        if not field.type.is_fixed:
            close(field)
    if not flexible.is_empty:
        atoms.append(Atom(field=None, role=TAGS, versions=flexible, flexible=flexible))
    if atoms:
        close(None)
    return found


def opening(field: FieldSpec, flexible: Versions) -> Atom | None:
    """The part of a field that can be in a run; None for a struct that is never null."""
    if field.flexible is not None:
        flexible = flexible.intersect(field.flexible)
    if field.type.is_fixed:
        return Atom(field=field, role="", versions=field.versions, flexible=flexible)
    if not field.type.is_struct:
        return Atom(field=field, role=LENGTH, versions=field.versions, flexible=flexible)
    if field.nullable.is_empty:
        return None
    if field.nullable != field.versions:
        raise ValueError(f"{field.name}: a struct that is nullable in some versions only")
    return Atom(field=field, role=MARKER, versions=field.versions, flexible=flexible)


def _slices(atoms: tuple[Atom, ...], within: Versions) -> Iterator[Versions]:
    """`within`, cut wherever an atom comes, goes or changes its form; oldest first."""
    cuts = {within.low}
    for atom in atoms:
        cuts |= {atom.versions.low, atom.versions.high + 1}
        if atom.role == LENGTH and not atom.flexible.is_empty:
            cuts |= {atom.flexible.low, atom.flexible.high + 1}
    ordered = sorted(cut for cut in cuts if cut in within)
    for low, following in zip(ordered, [*ordered[1:], within.high + 1], strict=True):
        yield Versions(low, following - 1)
