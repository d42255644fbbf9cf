"""The generator's pieces, on small schemas made up here."""

from copy import deepcopy
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from minikafka.protocol.message import decode_message, encode_message
from minikafka.protocol.primitives import MalformedMessage, UnsupportedFieldError
from tools.message_generator.emit_module import emit_module
from tools.message_generator.evolution import violations
from tools.message_generator.layout import runs
from tools.message_generator.naming import screaming_snake, snake
from tools.message_generator.parse import SchemaError, parse_folder, parse_message
from tools.message_generator.versions import NO_VERSIONS, Versions


def schema(*fields: dict[str, Any], valid: str = "0-3", flexible: str = "2+") -> dict[str, Any]:
    return {
        "type": "data",
        "name": "Thing",
        "validVersions": valid,
        "flexibleVersions": flexible,
        "fields": list(fields),
    }


def field(name: str, kind: str = "int32", versions: str = "0+", **more: Any) -> dict[str, Any]:
    return {"name": name, "type": kind, "versions": versions, **more}


def generated(source: dict[str, Any]) -> Any:
    """The class that is generated for a schema."""
    module = ModuleType("thing")
    exec(compile(emit_module([parse_message(source, "data")]), "thing", "exec"), vars(module))
    return module


@pytest.mark.parametrize(
    ("text", "low", "high"), [("3", 3, 3), ("2-5", 2, 5), ("1+", 1, 32767), ("0-0", 0, 0)]
)
def test_version_ranges_are_read_and_printed(text: str, low: int, high: int) -> None:
    assert Versions.parse(text) == (low, high)
    assert Versions.parse(str(Versions.parse(text))) == (low, high)


def test_bad_version_range_is_refused_by_name() -> None:
    for text in ("", "x", "1-", "-1"):
        with pytest.raises(ValueError, match="not a version range"):
            Versions.parse(text)


def test_condition_is_as_short_as_the_version_range_allows() -> None:
    within = Versions(2, 9)
    assert Versions(0, 9).condition(within) is None
    assert Versions(4, 9).condition(within) == "version >= 4"
    assert Versions(0, 5).condition(within) == "version <= 5"
    assert Versions(4, 5).condition(within) == "4 <= version <= 5"
    assert Versions(0, 1).intersect(within) == NO_VERSIONS


def test_names_become_snake_case() -> None:
    assert snake("TopicId") == "topic_id"
    assert snake("KRaftVersion") == "kraft_version"
    assert screaming_snake("DescribeTopicPartitions") == "DESCRIBE_TOPIC_PARTITIONS"


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        (field("A", "int33"), "unknown type"),
        (field("A", "[]records"), "no array of records"),
        (field("A", default="null"), "not nullable"),
        (field("A", nullableVersions="0+"), "cannot be null"),
        (field("A", default="x"), "invalid literal"),
        (field("A", tag=1), "no tagged versions"),
        (field("A", taggedVersions="2+"), "without a tag"),
        (field("A", taggedVersions="2+", tag=0), "some of its versions"),
        (field("A", surprise=1), "unknown keys surprise"),
        (field("A", "[]Part"), "has no fields"),
        (field("A", "string", versions="later"), "not a version range"),
    ],
)
def test_broken_field_is_refused_with_file_and_field(broken: dict, complaint: str) -> None:
    with pytest.raises(SchemaError, match=rf"data/Thing.json: field A: .*{complaint}"):
        parse_message(schema(broken), "data")


def test_tag_or_name_used_twice_is_refused() -> None:
    tagged = {"versions": "2+", "taggedVersions": "2+", "tag": 0}
    with pytest.raises(SchemaError, match="uses a tag twice"):
        parse_message(schema(field("A", **tagged), field("B", **tagged)), "data")
    with pytest.raises(SchemaError, match="has a field twice"):
        parse_message(schema(field("A"), field("A")), "data")


def test_length_behind_numbers_is_read_in_the_same_run() -> None:
    spec = parse_message(
        schema(field("A"), field("B", "int64", "1+"), field("C", "string")), "data"
    )
    first, tags = runs(spec, spec.root)
    layouts = [(str(part.versions), part.codes) for part in first.segments(spec.versions)]
    assert layouts == [("2-3", ["i", "q", "B"]), ("1", ["i", "q", "h"]), ("0", ["i", "h"])]
    assert [part.codes for part in tags.segments(spec.versions)] == [["B"], []]


def test_generated_class_survives_the_round_trip_at_every_version() -> None:
    parts = field("Parts", "[]Part", "1+", fields=[field("Id", "uuid"), field("Old", versions="1")])
    source = schema(field("Number"), field("Text", "string", nullableVersions="3+"), parts)
    thing = generated(source)
    for version in range(4):
        made = thing.Thing(7, "x" * 200)
        if version == 1:
            made.parts = [thing.Part(old=5)]
        data = encode_message(made, version)
        assert decode_message(thing.Thing, data, version) == made
    assert decode_message(thing.Thing, encode_message(thing.Thing(text=None), 3), 3).text is None
    with pytest.raises(UnsupportedFieldError, match="null text"):
        encode_message(thing.Thing(text=None), 2)
    with pytest.raises(UnsupportedFieldError, match="parts"):
        encode_message(thing.Thing(parts=[thing.Part()]), 0)
    with pytest.raises(MalformedMessage, match="Text is null"):
        decode_message(thing.Thing, b"\0\0\0\7\0", 2)


def test_a_tagged_struct_that_may_be_null_has_a_marker_of_its_own() -> None:
    """As Kafka's generator: `"default": null` without quotes is no default, so null is written."""
    part = field(
        "Part", "Part", "2+", nullableVersions="2+", taggedVersions="2+", tag=0, default=None,
        fields=[field("Id", "int8")],
    )  # fmt: skip
    thing = generated(schema(part, valid="2"))
    for part, data in ((None, b"\1\0\1\0"), (thing.Part(7), b"\1\0\3\1\7\0")):
        assert encode_message(thing.Thing(part), 2) == data
        assert decode_message(thing.Thing, data, 2) == thing.Thing(part)
    assert encode_message(thing.Thing(thing.Part()), 2) == b"\0"
    assert decode_message(thing.Thing, b"\0", 2).part is None


def test_more_than_127_elements_take_a_longer_varint() -> None:
    thing = generated(schema(field("Parts", "[]Part", fields=[field("Id", "int8")]), valid="2"))
    made = thing.Thing(parts=[thing.Part(number % 100) for number in range(300)])
    data = encode_message(made, 2)
    assert data[:2] == b"\xad\x02"
    assert decode_message(thing.Thing, data, 2) == made


def test_array_longer_than_the_rest_is_refused_at_once() -> None:
    thing = generated(schema(field("Parts", "[]Part", fields=[field("Id", "int8")]), valid="0"))
    with pytest.raises(MalformedMessage, match="array of 2147483647 elements in 1 bytes"):
        decode_message(thing.Thing, b"\x7f\xff\xff\xff\0", 0)


def changed(**changes: Any) -> list[str]:
    """What `violations` says when field A changes like this."""
    before = schema(field("A", "string"), field("B"))
    after = deepcopy(before)
    after["fields"][0] |= changes
    return violations(parse_message(before, "data"), parse_message(after, "data"))


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"type": "bytes"}, "type was string and is bytes"),
        ({"versions": "1+"}, "versions was 0-3 and is 1-3"),
        ({"nullableVersions": "2+"}, "nullable versions was none and is 2-3"),
        ({"default": "x"}, "default was  and is x"),
        ({"name": "C"}, "Thing.A is gone"),
    ],
)
def test_change_of_a_released_version_is_refused(changes: dict, complaint: str) -> None:
    assert complaint in changed(**changes)[0]


def test_new_version_with_new_fields_and_new_tags_is_free() -> None:
    before = parse_message(schema(field("A")), "data")
    more = schema(
        field("New", versions="4+"),
        field("A"),
        field("Tagged", versions="2+", taggedVersions="2+", tag=0),
        valid="0-4",
    )
    assert violations(before, parse_message(more, "data")) == []


def test_reused_tag_changed_order_and_lost_versions_are_refused() -> None:
    tagged = {"versions": "2+", "taggedVersions": "2+", "tag": 0}
    before = parse_message(schema(field("A"), field("B"), field("T", **tagged)), "data")
    other = schema(field("B"), field("A"), field("U", **tagged), valid="1-3")
    found = "\n".join(violations(before, parse_message(other, "data")))
    for complaint in ("had versions 0-3", "takes the tag of T", "order of its fields", "T is gone"):
        assert complaint in found
    assert violations(before, None) == ["schemas/data/Thing.json: the message is gone"]


def test_committed_modules_equal_generated_ones() -> None:
    """R5."""
    from tools.generate_messages import differences
    from tools.generate_messages import generated as generate

    root = Path(__file__).resolve().parents[3]
    assert differences(root, generate(root / "schemas")) == ([], [])


def test_every_element_of_an_array_takes_a_byte() -> None:
    """A frame has no more elements than bytes, which is why small ones need no count."""
    root = Path(__file__).resolve().parents[3]
    for message in parse_folder(root / "schemas"):
        for holder in message.all_structs():
            for each in holder.fields:
                element = each.type.element
                if element is None or not element.is_struct:
                    continue
                fields = message.structs[element.struct].plain_fields
                within = each.versions.intersect(message.versions)
                for version in range(within.low, within.high + 1):
                    assert version in message.flexible or any(
                        version in field.versions for field in fields
                    ), f"{message.name} version {version}: {each.name}"
