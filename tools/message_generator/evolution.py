"""The parts of a schema that must not change once its version has been used.

Records of old versions lie in logs and old clients talk on: a version's bytes are a promise. New
versions, new fields in new versions and new tagged fields are free.
"""

from tools.message_generator.spec import FieldSpec, MessageSpec, StructSpec
from tools.message_generator.versions import NO_VERSIONS, Versions


def violations(before: MessageSpec, after: MessageSpec | None) -> list[str]:
    """One sentence for each promise that `after` breaks."""
    if after is None:
        return [f"{before.file}: the message is gone"]
    found = [f"{before.file}: {text}" for text in _message(before, after)]
    for struct, versions in _pairs(before):
        match = after.root if struct is before.root else after.structs.get(struct.name)
        if match is None:
            found.append(f"{before.file}: struct {struct.name} is gone")
        else:
            found += [f"{before.file}: {text}" for text in _struct(struct, match, versions)]
    return found


def _pairs(message: MessageSpec) -> list[tuple[StructSpec, Versions]]:
    return [(struct, struct.versions) for struct in message.all_structs()]


def _message(before: MessageSpec, after: MessageSpec) -> list[str]:
    found = []
    if before.api_key != after.api_key:
        found.append(f"its key was {before.api_key} and is {after.api_key}")
    if not after.versions.covers(before.versions):
        found.append(f"it had versions {before.versions} and has {after.versions}")
    if after.flexible.intersect(before.versions) != before.flexible:
        found.append(f"it was flexible in {before.flexible} and is in {after.flexible}")
    return found


def _struct(before: StructSpec, after: StructSpec, versions: Versions) -> list[str]:
    found = []
    now = {field.name: field for field in after.fields}
    for field in before.fields:
        match = now.get(field.name)
        if match is None:
            found.append(f"field {before.name}.{field.name} is gone")
        else:
            where = f"{before.name}.{field.name}"
            found += [f"field {where}: {text}" for text in _field(field, match, versions)]
    found += _added(before, after, versions)
    order = [field.name for field in before.plain_fields if field.name in now]
    kept = [field.name for field in after.plain_fields if field.name in order]
    if [name for name in order if name in kept] != kept:
        found.append(f"struct {before.name}: the order of its fields changed")
    return found


def _field(before: FieldSpec, after: FieldSpec, versions: Versions) -> list[str]:
    pairs = (
        ("type", str(before.type), str(after.type)),
        ("versions", before.versions, after.versions.intersect(versions)),
        ("nullable versions", before.nullable, after.nullable.intersect(versions)),
        ("tagged versions", before.tagged, after.tagged.intersect(versions)),
        ("tag", before.tag, after.tag),
        ("default", before.default, after.default),
    )
    return [f"its {what} was {old!s} and is {new!s}" for what, old, new in pairs if old != new]


def _added(before: StructSpec, after: StructSpec, versions: Versions) -> list[str]:
    """Fields of `after` that released versions did not have outside their tag section."""
    old = {field.name for field in before.fields}
    tags = {field.tag: field.name for field in before.tagged_fields}
    found = []
    for field in after.fields:
        if field.name in old:
            continue
        if field.is_tagged:
            if field.tag in tags:
                found.append(f"field {after.name}.{field.name} takes the tag of {tags[field.tag]}")
        elif field.versions.intersect(versions) != NO_VERSIONS:
            found.append(f"field {after.name}.{field.name} is new in a released version")
    return found
