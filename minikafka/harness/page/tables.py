"""HTML for parts of the page: tables, and words for values. All input text is escaped."""

import html
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def text(value: object) -> str:
    """Return a value as escaped text."""
    return html.escape(str(value))


def words(name: str) -> str:
    """Return a name of the verdict with spaces instead of underscores."""
    return name.replace("_", " ")


def value_text(value: object) -> str:
    """Return a value of the verdict on one line."""
    match value:
        case _ if value in (None, "", [], {}):
            return "-"
        case bool():
            return "yes" if value else "no"
        case list() if all(isinstance(item, str | int | float) for item in value):
            return ", ".join(map(str, value))
        case dict() | list():
            return json.dumps(value)
        case _:
            return str(value)


class Markup(str):
    """A cell that is HTML already."""

    __slots__ = ()


def table(
    head: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    caption: str = "",
    numbers: Sequence[int] = (),
    bad: Sequence[int] = (),
) -> str:
    """Return an HTML table; `numbers` are right-aligned columns, `bad` highlighted rows."""
    cells = [[value if isinstance(value, Markup) else text(value) for value in row] for row in rows]
    kinds = [_kind(column, index in numbers) for index, column in enumerate(_columns(head, cells))]
    titles = "".join(
        f'<th scope="col"{kind}>{text(name)}</th>' for kind, name in zip(kinds, head, strict=True)
    )
    lines = []
    for index, row in enumerate(cells):
        marked = ' class="bad"' if index in bad else ""
        line = "".join(f"<td{kind}>{cell}</td>" for kind, cell in zip(kinds, row, strict=True))
        lines.append(f"<tr{marked}>{line}</tr>")
    label = text(caption or ", ".join(head))
    return (
        (f'<p class="caption">{text(caption)}</p>' if caption else "")
        + f'<div class="scroll" tabindex="0" role="region" aria-label="{label}"><table>'
        + f"<thead><tr>{titles}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
    )


def _columns(head: Sequence[str], cells: Sequence[Sequence[str]]) -> list[list[str]]:
    return [[row[index] for row in cells] for index in range(len(head))]


def _kind(column: Sequence[str], is_number: bool) -> str:  # noqa: FBT001 - private, one caller
    if is_number:
        return ' class="number"'
    is_long = any(len(cell) > _LONG and not isinstance(cell, Markup) for cell in column)
    return ' class="long"' if is_long else ""


_LONG = 40


def pairs(values: Mapping[str, Any], caption: str) -> str:
    """Return a table of names and values, including nested objects, without empty values."""
    rows = [
        (words(name), value_text(value))
        for name, value in plain(values)
        if value not in (None, "", [], {})
    ]
    return table(("name", "value"), rows, caption=caption)


def plain(values: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    """Return the names and values of nested objects as one list."""
    result: list[tuple[str, Any]] = []
    for name, value in values.items():
        if isinstance(value, dict) and value:
            result += plain(value, f"{prefix}{name}.")
        else:
            result.append((f"{prefix}{name}", value))
    return result


def section(name: str, title: str, *parts: str) -> str:
    """Return a section of the page with an anchor; empty if it has no content."""
    content = "".join(parts)
    return f'<section id="{name}"><h2>{text(title)}</h2>{content}</section>' if content else ""


def folded(title: str, content: str) -> str:
    """Return content that is hidden until its title is clicked."""
    return f"<details><summary>{text(title)}</summary>{content}</details>"


def script_json(value: object) -> str:
    """Return JSON that cannot end its script element."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")
