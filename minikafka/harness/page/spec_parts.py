"""The common parts of the Vega specifications of all kinds of lanes."""

from typing import Any

Spec = dict[str, Any]

FONT = "system-ui, sans-serif"
ROWS: Spec = {"name": "rows", "values": []}
"""The data of a lane, without its values."""


def theme(name: str) -> Spec:
    """Return a colour of the style sheet."""
    return {"signal": f"theme['{name}']"}


OWN_COLOR: Spec = {"signal": "theme[datum.c]"}
