"""Write the files that follow from code: `serving/index.py`, documents, and parts of others.

The documents are `docs/reference.md`, `docs/rules.md` and `docs/verdict-json.md`; in
`docs/simulation.md` the tables of checks, in `docs/faults.md` those of kinds and families, in
`docs/faults-by-http.md` those of bodies, in `docs/verify-verdict.md` that of anomalies, in
`ARCHITECTURE.md` the states of a log folder. With `--check` nothing is written; the exit status is
1 if a file differs from what this program would write.
"""

import argparse
import json
import sys
import textwrap
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.marks import between  # noqa: E402

INDEX = ROOT / "minikafka" / "serving" / "index.py"
REFERENCE = ROOT / "docs" / "reference.md"
VERDICT_SCHEMA = ROOT / "minikafka" / "harness" / "verdict" / "verdict.schema.json"
VERDICT = ROOT / "docs" / "verdict-json.md"
RULES = ROOT / "docs" / "rules.md"
SIMULATION = ROOT / "docs" / "simulation.md"
FAULTS = ROOT / "docs" / "faults.md"
JUDGED = ROOT / "docs" / "verify-verdict.md"
FAULTS_BY_HTTP = ROOT / "docs" / "faults-by-http.md"
ARCHITECTURE = ROOT / "ARCHITECTURE.md"
LINE_LENGTH = 100
MAX_VALUES = 20
"""Values of a field that a table names at most."""
MAX_MODULES = 3
"""Modules that a cell of `docs/rules.md` names at most."""


Schema = dict[str, Any]


def api_rows() -> dict[str, dict[int, tuple[str, int, int]]]:
    """Per role: key -> (file, lowest version, highest version), by key."""
    registry = import_module("minikafka.serving.registry")
    owners: dict[tuple[str, int], str] = {}
    package = import_module("minikafka.apis")
    for found in iter_modules(package.__path__):
        if found.name.startswith("_"):
            continue
        import_module(f"minikafka.apis.{found.name}")
        for key in registry.registered():
            owners.setdefault(key, found.name)
    rows: dict[str, dict[int, tuple[str, int, int]]] = {"broker": {}, "controller": {}}
    for (role, key), api in sorted(registry.registered().items()):
        rows[role][key] = (owners[role, key], api.low, api.high)
    return rows


def index_source(rows: dict[str, dict[int, tuple[str, int, int]]]) -> str:
    """The text of `serving/index.py`."""
    lines = [
        "# Written by tools/write_tables.py from the decorators in minikafka/apis. Do not edit.",
        '"""Where the handler of each API is, and which versions it serves, by role and key."""',
        "",
        "MODULES: dict[str, dict[int, tuple[str, int, int]]] = {",
    ]
    for role in ("broker", "controller"):
        lines.append(f'    "{role}": {{')
        lines += [
            f'        {key}: ("{module}", {low}, {high}),'
            for key, (module, low, high) in rows[role].items()
        ]
        lines.append("    },")
    lines.append("}")
    return "\n".join(lines) + "\n"


def reference_text(rows: dict[str, dict[int, tuple[str, int, int]]]) -> str:
    """The text of `docs/reference.md`."""
    lines = [
        "# Reference",
        "",
        "Written by `make generate` from the code.",
        "",
        "## APIs",
        "",
        "| key | API | broker | controller |",
        "| --- | --- | --- | --- |",
    ]
    api_key = import_module("minikafka.messages.api_keys")
    for key in sorted({*rows["broker"], *rows["controller"]}):
        name = api_key.APIS[key].name
        cells = [
            f"{row[1]}-{row[2]}" if (row := rows[role].get(key)) else ""
            for role in ("broker", "controller")
        ]
        lines.append(f"| {key} | {name} | {cells[0]} | {cells[1]} |")
    lines += ["", "## Broker configuration", "", *_key_table(_broker_keys())]
    lines += ["", "## Topic configuration", "", *_key_table(_topic_keys())]
    lines += ["", "## Metrics", "", *_metric_tables()]
    return "\n".join(lines) + "\n"


def _metric_tables() -> list[str]:
    catalog = import_module("minikafka.metrics.catalog")
    definition = import_module("minikafka.metrics.definition")
    lines = ["[metrics.md](metrics.md) says where they are read.", ""]
    for title, metrics in (
        ("every node", catalog.NODE_METRICS),
        ("brokers", catalog.BROKER_METRICS),
        ("controllers", catalog.CONTROLLER_METRICS),
    ):
        lines += [f"Of {title}:", "", "| name | Prometheus | kind | |", "| --- | --- | --- | --- |"]
        for metric in metrics:
            names = (metric.full_name, *metric.aliases)
            exported = (metric.prometheus_name, *map(definition.prometheus_name, metric.aliases))
            cells = ("<br>".join(f"`{name}`" for name in each) for each in (names, exported))
            lines.append(f"| {' | '.join(cells)} | {metric.kind.value} | {metric.help} |")
        lines.append("")
    return lines[:-1]


def _broker_keys() -> list[object]:
    values = import_module("minikafka.config.values")
    return [key for key in values.broker_keys() if not key.ignored]


def _topic_keys() -> list[object]:
    topic = import_module("minikafka.config.topic")
    return [key for key in topic.TOPIC_KEYS if not key.ignored]


def _key_table(keys: list[object]) -> list[str]:
    rows = ["| name | default | allowed | update | |", "| --- | --- | --- | --- | --- |"]
    for key in keys:
        text = "" if key.required else key.text(key.default)  # type: ignore[attr-defined]
        allowed = key.allowed.replace("|", "\\|")  # type: ignore[attr-defined]
        rows.append(
            f"| `{key.name}` | {text if text is not None else 'none'} | {allowed} "  # type: ignore[attr-defined]
            f"| {key.update.value} | {key.doc} |"  # type: ignore[attr-defined]
        )
    return rows


def rules_text() -> str:
    """Return the text of `docs/rules.md`: a table of short forms, then every rule in full."""
    rules = import_module("minikafka.rules")
    places = import_module("tools.rule_places")
    decided = places.deciding(rules.RULES, ROOT / "minikafka")
    checked = places.checking(rules.RULES, ROOT / "minikafka")
    lines = [
        _RULES_HEAD,
        "| rule | in short | decided in | checked by |",
        "| --- | --- | --- | --- |",
    ]
    for name, rule in rules.RULES.items():
        checks = _modules(checked[name]) or "not checked by the simulator"
        lines.append(f"| {name} | {rule.short} | {_modules(decided[name])} | {checks} |")
    for letter, title in rules.GROUPS.items():
        lines += ["", f"## {title}"]
        for name, rule in rules.RULES.items():
            if name.startswith(letter):
                text = f"**{name}.** {rule.text} *Source: {rule.source}.*"
                lines += ["", textwrap.fill(text, LINE_LENGTH, break_on_hyphens=False)]
    return "\n".join(lines) + "\n"


def _modules(modules: list[str]) -> str:
    """Format the first modules of a list for a cell of a table."""
    return ", ".join(f"`{module}`" for module in modules[:MAX_MODULES])


_RULES_HEAD = """<!-- Written by tools/write_tables.py from minikafka/rules.py. Do not edit. -->

# Rules

What minikafka guarantees, by number. Tests and docstrings cite the numbers;
[spec-coverage.md](spec-coverage.md) lists the tests of each rule. The
[glossary](glossary.md) explains the terms; [compatibility.md](compatibility.md) lists where Apache
Kafka behaves differently. *Source* names the KIP section or the Kafka class that a rule comes
from. *Decided in* names the modules below `minikafka/` that cite a rule, at most three; *checked
by* names the checks of the simulator ([simulation.md](simulation.md)) and of clients' operations.
"""


def simulation_text() -> str:
    """Return the text of `docs/simulation.md` with current tables of checks."""
    rules = import_module("minikafka.rules").RULES
    catalog = import_module("minikafka.sim.checks.catalog")
    places = import_module("tools.rule_places")
    checking = {
        name: [module for module in modules if module.startswith(places.SIMULATOR_CHECKS)]
        for name, modules in places.checking(rules, ROOT / "minikafka").items()
    }
    reporting = places.reporting(catalog.CHECKS, ROOT / "minikafka")
    text = SIMULATION.read_text(encoding="utf-8")
    for mark, meanings, modules in (
        ("rules", {name: rules[name].short for name in rules if checking[name]}, checking),
        ("steps", catalog.AFTER_EACH_STEP, reporting),
        ("end_checks", catalog.AT_THE_END, reporting),
    ):
        rows = [
            f"| {name} | {about} | {_modules(modules[name])} |" for name, about in meanings.items()
        ]
        table = "\n".join(["| name | meaning | module |", "| --- | --- | --- |", *rows])
        text = between(text, mark, table + "\n")
    return text


def judged_text() -> str:
    """Return the text of `docs/verify-verdict.md` with the current table of anomalies."""
    rows = import_module("minikafka.harness.verdict.anomaly_names").anomaly_table()
    return between(JUDGED.read_text(encoding="utf-8"), "anomalies", "\n".join(rows) + "\n")


def faults_text() -> str:
    """Return the text of `docs/faults.md` with the current tables of kinds and families."""
    kinds = import_module("minikafka.faults.vocabulary").kind_table()
    families = import_module("minikafka.faults.catalogue").family_table()
    text = between(FAULTS.read_text(encoding="utf-8"), "kinds", "\n".join(kinds) + "\n")
    return between(text, "families", "\n".join(families) + "\n")


def faults_by_http_text() -> str:
    """Return the text of `docs/faults-by-http.md` with a table for each kind of body."""
    parts: list[str] = []
    bodies = import_module("minikafka.dev.fault_schema").fault_schema()["$defs"]
    for field in bodies["fault"]["properties"].values():
        if len(field.get("enum", ())) > MAX_VALUES:
            del field["enum"]
    # It has those of a fault, too.
    added = bodies["set_fault"]["properties"]
    for name in bodies["fault"]["properties"].keys() - {"id", "kind", "role"}:
        added.pop(name, None)
    for name, body in bodies.items():
        parts += _fields(name, body)
    text = FAULTS_BY_HTTP.read_text(encoding="utf-8")
    return between(text, "bodies", "\n\n".join(parts) + "\n")


def architecture_text() -> str:
    """The text of `ARCHITECTURE.md` with a diagram of the states of a log folder."""
    folders = import_module("minikafka.log.directories.log_folders")
    absent = folders.FolderState.ABSENT
    names = {state: "[*]" if state is absent else state.name for state in folders.FolderState}
    arrows = [f"    {names[before]} --> {names[after]}" for before, after in folders.FOLDER_STATES]
    part = "\n".join(["```mermaid", "stateDiagram-v2", *arrows, "```"]) + "\n"
    return between(ARCHITECTURE.read_text(encoding="utf-8"), "log folders", part)


def verdict_text() -> str:
    """The text of `docs/verdict-json.md`: a table for each object of the schema."""
    schema = json.loads(VERDICT_SCHEMA.read_text(encoding="utf-8"))
    about = f"{schema['description']} A field in italics may be missing."
    head = _VERDICT_HEAD.format(version=schema["$id"])
    parts = [head, textwrap.fill(about, LINE_LENGTH), *_fields("", schema)]
    for name, value in schema["$defs"].items():
        parts += _fields(name, value)
    return "\n\n".join(parts) + "\n"


_VERDICT_HEAD = """<!-- Written by tools/write_tables.py. Do not edit. -->

# verdict.json

`minikafka verify` writes this file, in version `{version}`. Its JSON schema (draft
2020-12) is `minikafka/harness/verdict/verdict.schema.json`, which is installed with the package.
[verify-verdict.md](verify-verdict.md) explains the judgement."""


def _fields(name: str, schema: Schema) -> list[str]:
    """A heading and a table of an object's fields, then those of its fields' own."""
    schema, shape = _object_in(schema)
    if "properties" not in schema:
        return []
    required = schema.get("required", ())
    rows = [
        f"| {_named(field, field in required)} | {_type(value)} | {_what(value)} |"
        for field, value in schema["properties"].items()
    ]
    about = f"{shape}{_sentence(schema['description'])}."
    heading = [f"## {name}", "", textwrap.fill(about, LINE_LENGTH), ""] if name else []
    lines = [*heading, "| field | type | what it is |", "| --- | --- | --- |", *rows]
    inner = [
        part
        for field, value in schema["properties"].items()
        for part in _fields(f"{name}.{field}".strip("."), value)
    ]
    return ["\n".join(lines), *inner]


def _sentence(description: str) -> str:
    return description[0].upper() + description[1:]


def _object_in(schema: Schema) -> tuple[Schema, str]:
    """The object that a field holds, and in which shape."""
    for key, shape in (("items", "A list. "), ("additionalProperties", "By name. ")):
        if isinstance(schema.get(key), dict):
            return _object_in(schema[key])[0], shape
    for choice in schema.get("oneOf", ()):
        if "properties" in choice:
            return choice, "Null, or an object. "
    return schema, ""


def _named(field: str, is_required: bool) -> str:  # noqa: FBT001 - private, one caller
    return f"`{field}`" if is_required else f"*`{field}`*"


def _what(schema: Schema) -> str:
    values = schema.get("enum", [])
    listed = f" ({', '.join(map(json.dumps, values))})" if values else ""
    return str(schema["description"]).replace("|", "\\|") + listed


def _type(schema: Schema) -> str:
    """The type of a value, in a few words."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "items" in schema:
        return f"list of {_type(schema['items'])}" if schema["items"] else "list"
    if isinstance(schema.get("additionalProperties"), dict):
        return f"name → {_type(schema['additionalProperties'])}"
    if "oneOf" in schema:
        return " or ".join(map(_type, schema["oneOf"]))
    if "const" in schema or "enum" in schema:
        return "constant"
    kinds: str | list[str] = schema.get("type", "any")
    return kinds if isinstance(kinds, str) else " or ".join(kinds)


def main() -> int:
    """Write, or check; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    if not INDEX.exists():
        # The API files import it before it can be written from them.
        empty: dict[str, dict[int, tuple[str, int, int]]] = {"broker": {}, "controller": {}}
        INDEX.write_text(index_source(empty), encoding="utf-8")
    rows = api_rows()
    stale = []
    for path, text in (
        (INDEX, index_source(rows)),
        (REFERENCE, reference_text(rows)),
        (VERDICT, verdict_text()),
        (RULES, rules_text()),
        (SIMULATION, simulation_text()),
        (FAULTS, faults_text()),
        (JUDGED, judged_text()),
        (FAULTS_BY_HTTP, faults_by_http_text()),
        (ARCHITECTURE, architecture_text()),
    ):
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(str(path.relative_to(ROOT)))
        if not args.check:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
    if stale:
        print(("not up to date: " if args.check else "written: ") + ", ".join(stale))
    return 1 if stale and args.check else 0


if __name__ == "__main__":
    sys.exit(main())
