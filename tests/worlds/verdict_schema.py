"""The verdict's schema, and fields of a verdict that it does not allow."""

import json
from pathlib import Path

import jsonschema

from minikafka.harness.verdict import verdict_file

ROOT = Path(verdict_file.__file__).parents[3]
SCHEMA = json.loads(
    (ROOT / "minikafka" / "harness" / "verdict" / "verdict.schema.json").read_text()
)


def strict(schema):
    """The schema with every field forbidden that it does not name."""
    match schema:
        case {"properties": properties, **rest}:
            closed = {name: strict(value) for name, value in properties.items()}
            return {
                "additionalProperties": False,
                **{key: strict(it) for key, it in rest.items()},
                "properties": closed,
            }
        case dict():
            return {key: strict(value) for key, value in schema.items()}
        case list():
            return [strict(value) for value in schema]
        case _:
            return schema


def problems(verdict, schema=SCHEMA):
    checker = jsonschema.Draft202012Validator(schema)
    return [f"{error.json_path}: {error.message}" for error in checker.iter_errors(verdict)]
