"""Writes what follows from code: `minikafka/apis/_index.py`, and the tables in `docs/reference.md`.

`--check` writes nothing and fails where a file is not what this program would write.
"""

import argparse
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

INDEX = ROOT / "minikafka" / "apis" / "_index.py"
REFERENCE = ROOT / "docs" / "reference.md"


def api_rows() -> dict[str, dict[int, tuple[str, int, int]]]:
    """Per role: key -> (file, lowest version, highest version), by key."""
    registry = import_module("minikafka.apis._registry")
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
        module = api.handler.__module__.rsplit(".", 1)[1]
        rows[role][key] = (module, api.low, api.high)
    return rows


def index_source(rows: dict[str, dict[int, tuple[str, int, int]]]) -> str:
    """The text of `_index.py`."""
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
            also = "".join(
                f" Also `{name}`, `{definition.prometheus_name(name)}`." for name in metric.aliases
            )
            lines.append(
                f"| `{metric.full_name}` | `{metric.prometheus_name}` | {metric.kind.value} "
                f"| {metric.help}{also} |"
            )
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
    for path, text in ((INDEX, index_source(rows)), (REFERENCE, reference_text(rows))):
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
