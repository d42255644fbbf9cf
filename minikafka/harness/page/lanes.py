"""The common fields of lanes; `chart` describes them."""

from typing import Any

Lane = dict[str, Any]


def new_lane(name: str, title: str, about: str, *, unit: str = "", **values: Any) -> Lane:
    """Return a lane with these values, and defaults for the texts that it lacks."""
    return {
        "id": name,
        "title": title,
        "unit": unit,
        "about": about,
        "note": "",
        "row": "",
        "say": "",
        **values,
    }


def new_legend(*entries: tuple[str, str]) -> list[dict[str, str]]:
    """Return a legend of (name, colour)."""
    return [{"name": name, "color": color} for name, color in entries]


def row_height_px(row_count: int) -> int:
    """Return the height of a lane with this many rows of spans."""
    return round(row_count * max(4.0, min(18.0, 420 / row_count)))
