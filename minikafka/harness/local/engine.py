"""The rules of the verdict on DuckDB, in this process."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import duckdb
import pyarrow as pa

from minikafka.harness.clients.ledger_table import read_ledgers, write_parquet
from minikafka.harness.verdict.engine import Row, columns
from minikafka.harness.verdict.relations import LOOK_SCHEMA, WATERMARK_SCHEMA

_MEMORY_LIMIT = "1GB"
_THREADS_MAX = 4
_ARROW_TYPES = {
    "int": pa.int32(),
    "bigint": pa.int64(),
    "string": pa.string(),
    "boolean": pa.bool_(),
    "array<int>": pa.list_(pa.int32()),
}


class LocalEngine:
    """An engine (`verdict.engine`) whose relations are views and tables of an in-memory database.

    What does not fit into the memory limit goes to files in the folder `scratch`.
    """

    def __init__(self, scratch: Path) -> None:
        """Open the database."""
        self._database = duckdb.connect(":memory:")
        self._database.execute(f"set memory_limit = '{_MEMORY_LIMIT}'")
        self._database.execute(f"set threads = {_THREADS_MAX}")
        self._database.execute("set preserve_insertion_order = false")
        self._database.execute("set temp_directory = ?", [str(scratch)])
        for name, sign in (("shiftleft", "<<"), ("shiftright", ">>")):
            self._database.execute(f"create temp macro {name}(value, bits) as value {sign} bits")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def view(self, name: str, sql: str) -> None:
        """Name a statement."""
        self.drop(name)
        self._database.execute(f"create temp view {name} as {sql}")

    def table(self, name: str, sql: str) -> None:
        """Name the rows of a statement."""
        self.drop(name)
        self._database.execute(f"create temp table {name} as {sql}")

    def drop(self, name: str) -> None:
        """Remove a relation, if it exists."""
        found = self._database.execute(
            "select table_type from information_schema.tables where table_name = ?", [name]
        ).fetchone()
        if found is not None:
            kind = "view" if found[0] == "VIEW" else "table"
            self._database.execute(f"drop {kind} {name}")

    def values(self, name: str, rows: Iterable[Sequence[Any]], schema: str) -> None:
        """Name a few rows."""
        types = columns(schema)
        rows = list(rows)
        arrays = [
            pa.array([row[at] for row in rows], _ARROW_TYPES[type_])
            for at, type_ in enumerate(types.values())
        ]
        self._database.register("new_rows", pa.table(arrays, names=list(types)))
        self.table(name, "select * from new_rows")
        self._database.unregister("new_rows")

    def parquet(self, name: str, files: Path | Sequence[Path], schema: str) -> None:
        """Name the rows of parquet files, or of all parquet files in a folder."""
        paths = sorted(files.glob("*.parquet")) if isinstance(files, Path) else list(files)
        if not paths:
            self.values(name, [], schema)
            return
        listed = ", ".join(_quoted(str(path)) for path in paths)
        shown = ", ".join(
            f"cast(f.{each} as {type_}) as {each}" for each, type_ in columns(schema).items()
        )
        self.view(name, f"select {shown} from read_parquet([{listed}]) f")

    def events(self, looks: str, watermarks: str, files: Sequence[Path]) -> None:
        """Parse files of events."""
        rows: dict[str, list[tuple[Any, ...]]] = {looks: [], watermarks: []}
        for position, event in enumerate(_events(files)):
            at_ms = event.get("at_ms")
            match event.get("event"):
                case "partition":
                    isr, elr = event.get("isr"), event.get("elr")
                    size = None if isr is None else len(isr)
                    partition, leader = event.get("partition"), event.get("leader")
                    rows[looks].append((partition, at_ms, position, leader, isr, elr, size))
                case "high_watermarks":
                    rows[watermarks] += [
                        ("watcher", None, int(number), end, at_ms, position)
                        for number, end in (event.get("ends") or {}).items()
                    ]
                case "progress":
                    witness = event.get("witness", "spark")
                    rows[watermarks] += [
                        (witness, topic, int(number), end, at_ms, position)
                        for source in (event.get("progress") or {}).get("sources") or ()
                        for topic, ends in (source.get("latestOffset") or {}).items()
                        for number, end in ends.items()
                    ]
                case _:
                    pass
        self.values(looks, rows[looks], LOOK_SCHEMA)
        self.values(watermarks, rows[watermarks], WATERMARK_SCHEMA)

    def ledgers(self, folder: Path, target: Path) -> None:
        """Fold the ledgers in this process."""
        write_parquet(read_ledgers(folder), target)

    def observe(
        self, name: str, sql: str, totals: Mapping[str, str]
    ) -> Callable[[], Mapping[str, Any]]:
        """Name the rows of a statement, and aggregate them."""
        self.table(name, sql)
        aggregates = ", ".join(f'{value} as "{total}"' for total, value in totals.items())
        return lambda: self.rows(f"select {aggregates} from {name}")[0]

    def rows(self, sql: str) -> list[Row]:
        """Return the rows of a statement."""
        found = self._database.execute(sql)
        names = [column[0] for column in found.description]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]

    def write(self, sql: str, folder: Path) -> None:
        """Write the rows of a statement as one parquet file."""
        folder.mkdir()
        path = _quoted(str(folder / "part-0.parquet"))
        self._database.execute(f"copy ({sql}) to {path} (format parquet)")

    def exploded(self, items: Sequence[str]) -> str:
        """Return an expression with a row for each item; the caller leaves out null."""
        return f"unnest([{', '.join(items)}])"

    def numbers(self, first: str, last: str) -> str:
        """Return an expression with a row for each number."""
        return f"unnest(generate_series({first}, {last}))"

    def content(self, columns: Sequence[str]) -> str:
        """Return a hash of 64 bits."""
        return f"hash({', '.join(columns)})"

    def percentiles(self, value: str, shares: Sequence[float]) -> str:
        """Return exact percentiles as JSON."""
        return f"cast(to_json(quantile_disc({value}, [{', '.join(map(str, shares))}])) as string)"


def _events(files: Sequence[Path]) -> Iterator[dict[str, Any]]:
    """Yield the events of all files; a line that was not written whole is left out."""
    for path in files:
        with path.open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                try:
                    event = json.loads(line)
                except ValueError:
                    continue
                if isinstance(event, dict):
                    yield event


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
