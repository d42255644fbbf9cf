"""Compares `schemas/` with the messages in the jars of an Apache Kafka, usually a newer one.

    python tools/import_schemas.py --jars DIR

DIR holds Kafka's jars, `kafka-clients-*.jar` and its siblings. Prints what Kafka has and `schemas/`
has not, the other way round, and what differs in a version that both have; exits 1 if anything
does. Needs `java` (17 or newer, with its compiler) on the path. What is ours alone (see
`schemas/README.md`) is left out of the comparison.

The jars hold no schema files, but each generated class knows its layout per version.
`SchemaDump.java` prints it, `layout` below says the same of a parsed schema file, and the two texts
are compared. Neither text has defaults or `ignorable`: those are to be looked up by hand.
"""

import argparse
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.message_generator.naming import snake  # noqa: E402
from tools.message_generator.parse import parse_folder, without_extensions  # noqa: E402
from tools.message_generator.spec import (  # noqa: E402
    FieldSpec,
    FieldType,
    MessageSpec,
    StructSpec,
)

FIRST_TAG_OF_OURS = 10_000
OUR_MESSAGES = ("GetReplicaLogInfoRequest", "GetReplicaLogInfoResponse")
OUR_VERSIONS = {("ElectLeadersRequest", 3), ("ElectLeadersResponse", 3)}

Layouts = dict[tuple[str, int], str]

_TYPES = {"bool": "BOOLEAN"}
_COMPACT_TYPES = ("string", "bytes", "records")


def our_layouts(messages: Iterable[MessageSpec]) -> Layouts:
    """The layout of every released message and version in `schemas/`."""
    found: Layouts = {}
    for message in messages:
        if message.name in OUR_MESSAGES:
            continue
        released = without_extensions(message, FIRST_TAG_OF_OURS)
        for version in range(message.versions.low, message.versions.high + 1):
            if (message.name, version) not in OUR_VERSIONS:
                found[message.name, version] = layout(released, released.root, version)
    return found


def layout(message: MessageSpec, struct: StructSpec, version: int) -> str:
    """A struct at one version, in the words of `SchemaDump.java`.

    `{name:TYPE;…}` is a struct, `[]` an array, `<tag=name:TYPE;…>` a tag section; names are without
    underscores, since Kafka's own spelling of them varies.
    """
    plain = "".join(
        _field(message, field, version)
        for field in struct.plain_fields
        if version in field.versions
    )
    if version not in message.flexible:
        return f"{{{plain}}}"
    tagged = "".join(
        f"{field.tag}={_field(message, field, version)}"
        for field in struct.tagged_fields
        if version in field.versions
    )
    return f"{{{plain}taggedfields:<{tagged}>;}}"


def _field(message: MessageSpec, field: FieldSpec, version: int) -> str:
    compact = version in message.flexible and (field.flexible is None or version in field.flexible)
    text = _type(message, field.type, version, compact=compact, null=version in field.nullable)
    return f"{snake(field.name).replace('_', '')}:{text};"


def _type(message: MessageSpec, kind: FieldType, version: int, *, compact: bool, null: bool) -> str:
    nullable = "NULLABLE_" if null else ""
    if kind.element is not None:
        element = _type(message, kind.element, version, compact=compact, null=False)
        return f"{'COMPACT_' if compact else ''}{nullable}[]{element}"
    if kind.is_struct:
        return nullable + layout(message, message.structs[kind.struct], version)
    name = _TYPES.get(kind.kind, kind.kind.upper())
    return f"{'COMPACT_' if compact and kind.kind in _COMPACT_TYPES else ''}{nullable}{name}"


def kafka_layouts(jars: Path) -> Layouts:
    """The layouts that Kafka's generated classes tell.

    Raises:
        SystemExit: if the folder has no Kafka jars or Java fails.
    """
    found = sorted(str(path) for path in jars.glob("kafka*.jar"))
    if not found:
        raise SystemExit(f"no kafka*.jar in {jars}")
    command = ["java", "-cp", f"{jars}/*", str(ROOT / "tools" / "SchemaDump.java"), *found]
    run = subprocess.run(command, check=False, capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(f"{command[0]} failed:\n{run.stderr}")
    rows = (line.split("\t") for line in run.stdout.splitlines())
    return {(name, int(version)): text for name, version, text in rows}


def differences(
    ours: Mapping[tuple[str, int], str], kafkas: Mapping[tuple[str, int], str]
) -> list[str]:
    """One line for each message and version that is on one side only, or not the same on both."""
    found = []
    for key in sorted({**ours, **kafkas}):
        name, version = key
        if key not in ours:
            found.append(f"{name} version {version}: only in Kafka: {kafkas[key]}")
        elif key not in kafkas:
            found.append(f"{name} version {version}: only in schemas/")
        elif ours[key] != kafkas[key]:
            found.append(f"{name} version {version}: differs")
            found.append(f"  schemas: {ours[key]}")
            found.append(f"  Kafka:   {kafkas[key]}")
    return found


def main(arguments: Sequence[str]) -> int:
    """Run the command line; the exit status."""
    parser = argparse.ArgumentParser(description="Compare schemas/ with Kafka's jars.")
    parser.add_argument("--jars", type=Path, required=True, help="folder with Kafka's jars")
    options = parser.parse_args(arguments)
    ours = our_layouts(parse_folder(ROOT / "schemas"))
    found = differences(ours, kafka_layouts(options.jars))
    print("\n".join(found) if found else f"{len(ours)} message versions agree")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
