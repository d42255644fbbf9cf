"""The time axis of a page as HTML and JSON for `report.js`, and the chart library.

An axis is {last, faults, lanes}, as `chart` builds it. It may have `view` (the part that is shown
first), `shortest` (the closest zoom) and `broken_at`. The chart library is Vega, from the package
`vl-convert-python`.
"""

from functools import cache
from typing import Any

import vl_convert

from minikafka.harness.page import lane_specs, state_spans
from minikafka.harness.page.tables import script_json, text

COLORS = (
    *(
        "ink",
        "soft",
        "line",
        "card",
        "inside",
        "broken",
        "fault",
        "edge",
        "mixed",
        "window",
        "read",
    ),
    *("failed", "unknown", "latency-median", "latency-p99", "latency-longest", "leader-none"),
    *("isr-full", "isr-fewer", "isr-min", "isr-under", "isr-empty", "elr-some", "elr-known"),
    *("transaction-committed", "transaction-aborted", "transaction-unknown"),
    *(f"series-{number}" for number in range(6)),
    *(f"node-{number}" for number in range(9)),
)
"""The names of the time axis's colours; the style sheet defines each for light and dark."""


def script_model(built: dict[str, Any]) -> str:
    """Return the script's data as JSON that is safe inside a page."""
    return script_json(model(built))


def model(built: dict[str, Any]) -> dict[str, Any]:
    """Return the script's data: lanes with data and specifications, faults, and colours."""
    lanes = [
        {
            **{name: value for name, value in lane.items() if name not in _ONLY_MARKUP},
            **_packed(lane),
            "spec": {
                "description": _label(lane),
                **lane_specs.specification(
                    lane,
                    built["last"],
                    has_labels=index in {0, len(built["lanes"]) - 1},
                    fault_count=sum(fault["done"] for fault in built["faults"]),
                    broken_at=built.get("broken_at"),
                ),
            },
        }
        for index, lane in enumerate(built["lanes"])
    ]
    sizes = {
        "left": lane_specs.LEFT_PX,
        "right": lane_specs.RIGHT_PX,
        "stub": lane_specs.STUB_PX,
    }
    return {**built, **sizes, "lanes": lanes, "colors": COLORS}


def _packed(lane: dict[str, Any]) -> dict[str, Any]:
    is_plain = lane["kind"] != "series" and lane["id"] != "faults"
    return {"spans": state_spans.packed(lane["spans"])} if is_plain else {}


_ONLY_MARKUP = frozenset({"about", "legend", "note"})


def _label(lane: dict[str, Any]) -> str:
    return f"{lane['title']}: {lane['about']}. The tables below the axis have the same data."


def figure(lane: dict[str, Any]) -> str:
    """Return a lane's title, legend and place for its plot."""
    legend = "".join(
        f'<li style="--chip: var(--{text(entry["color"])})">{text(entry["name"])}</li>'
        for entry in lane["legend"]
    )
    return (
        f'<figure class="lane {lane["id"]}" data-lane="{lane["id"]}"><figcaption>'
        f"<h3>{text(lane['title'])}</h3>"
        + (f'<span class="unit">{text(lane["unit"])}</span>' if lane["unit"] else "")
        + (f"<ul>{legend}</ul>" if legend else "")
        + (f'<span class="note">{text(lane["note"])}</span>' if lane["note"] else "")
        + f'</figcaption><div class="plot" role="img" aria-label="{text(_label(lane))}"></div>'
        + "</figure>"
    )


@cache
def library() -> str:
    """Return the chart library as a script that is safe inside a page."""
    bundle: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return bundle.replace("</script", "<\\/script")
