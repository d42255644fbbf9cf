"""The engine that executes the rules of the verdict, and the few expressions that depend on it.

The rules are SELECT statements over named relations, in the SQL that Spark and DuckDB share. An
engine is one of the two. `offset` is a reserved word of DuckDB: it is always qualified.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

Row = dict[str, Any]


class Engine(Protocol):
    """Executes SQL over relations that it names.

    `view` and `table` may not refer to the relation that they replace.
    """

    def view(self, name: str, sql: str) -> None:
        """Name a statement; it is executed wherever the name is used."""

    def table(self, name: str, sql: str) -> None:
        """Name a statement whose rows are kept, since they are used several times."""

    def drop(self, name: str) -> None:
        """Release the rows of a table, which is not used any more."""

    def values(self, name: str, rows: Iterable[Sequence[Any]], schema: str) -> None:
        """Name a few rows; `schema` has a name and a type for each column."""

    def parquet(self, name: str, files: Path | Sequence[Path], schema: str) -> None:
        """Name the rows of a folder or of some files; without any there are no rows."""

    def events(self, looks: str, watermarks: str, files: Sequence[Path]) -> None:
        """Name the rows of `LOOK_SCHEMA` and of `WATERMARK_SCHEMA` in files of events."""

    def ledgers(self, folder: Path, target: Path) -> None:
        """Fold the ledgers of a folder into parquet files with one row per record."""

    def observe(
        self, name: str, sql: str, totals: Mapping[str, str]
    ) -> Callable[[], Mapping[str, Any]]:
        """Name a statement, and aggregate its rows without a pass of their own.

        The totals are available when `write` has written a statement that uses `name`.
        """

    def rows(self, sql: str) -> list[Row]:
        """Return the rows of a statement, which must be few."""

    def write(self, sql: str, folder: Path) -> None:
        """Write the rows of a statement to a new folder as parquet."""

    def exploded(self, items: Sequence[str]) -> str:
        """Return an expression with a row for each of these items that is not null."""

    def numbers(self, first: str, last: str) -> str:
        """Return an expression with a row for each number from `first` to `last`."""

    def content(self, columns: Sequence[str]) -> str:
        """Return an expression with a number for the content of columns that are not null."""

    def percentiles(self, value: str, shares: Sequence[float]) -> str:
        """Return an aggregate with a JSON array of percentiles; null or "null" without values."""


def columns(schema: str) -> dict[str, str]:
    """Return the types of a schema's columns by name."""
    return dict(part.split(" ", 1) for part in schema.split(", "))


def json_object(fields: Mapping[str, str]) -> str:
    """Return an expression with a JSON object; a field whose value is null is left out.

    The values are expressions of numbers, booleans or JSON.
    """
    named = (f"""'"{name}":' || cast({value} as string)""" for name, value in fields.items())
    return "'{' || concat_ws(',', " + ", ".join(named) + ") || '}'"


def json_string(value: str) -> str:
    """Return an expression with the JSON of a text that needs no escapes; null for null."""
    return f"""'"' || {value} || '"'"""


def whole(dividend: str, divisor: int) -> str:
    """Return an expression with a quotient that is rounded down."""
    return f"cast(floor(({dividend}) / {divisor}) as bigint)"


def case(conditions: Mapping[str, object], otherwise: str = "null") -> str:
    """Return an expression with the value of the first condition that is true."""
    if not conditions:
        return otherwise
    branches = " ".join(f"when {condition} then {value}" for condition, value in conditions.items())
    return f"case {branches} else {otherwise} end"
