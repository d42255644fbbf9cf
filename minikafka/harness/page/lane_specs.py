"""The Vega specifications of lanes, one for each kind.

Specifications have no data and no colours. `report.js` gives each view its rows (`rows`, `faults`),
its width, the visible part of the axis (`domain`), the position of the pointer (`pointer`) and the
style sheet's colours by name (`theme`), and updates them. So all lanes zoom together and follow the
colour scheme.
"""

from typing import Any

from minikafka.harness.page.series_specs import series, series_data, series_scales, value_axis
from minikafka.harness.page.spec_parts import FONT, OWN_COLOR, ROWS, Spec, theme

LEFT_PX = 64
RIGHT_PX = 14
_AXIS_PX = 22
_ROW_GAP_PX = 2
_FEWEST_LABEL_PX = 11


def specification(
    lane: dict[str, Any],
    last: float,
    *,
    has_labels: bool,
    fault_count: int = 0,
    broken_at: float | None = None,
) -> Spec:
    """Return the specification of one lane.

    With `has_labels` the axis has time labels. `broken_at` is the time at which a rule was broken,
    which every lane marks.
    """
    is_series = lane["kind"] == "series"
    is_shaded = lane["id"] != "faults"
    drawn = {"series": series, "spans": _spans, "arrows": _arrows}
    content = drawn[lane["kind"]](lane)
    content += [] if broken_at is None else [_break(broken_at)]
    marks = (
        [_shading(fault_count), *content, *_fault_edges(fault_count, last)]
        if is_shaded
        else content
    )
    return {
        "autosize": "none",
        "padding": {
            "left": LEFT_PX,
            "right": RIGHT_PX,
            "top": _AXIS_PX if has_labels else 4,
            "bottom": 4,
        },
        "width": 600,
        "height": lane["height"],
        "signals": [
            {"name": "domain", "value": [0, last]},
            {"name": "step", "update": _step()},
            {"name": "theme", "value": {}},
            {"name": "pointer", "value": None},
        ],
        "data": [{"name": "faults", "values": []}, *_data(lane)],
        "scales": [
            {
                "name": "x",
                "type": "linear",
                "domain": {"signal": "domain"},
                "range": "width",
                "zero": False,
                "nice": False,
            },
            *(series_scales(lane) if is_series else []),
        ],
        "axes": [
            _time_axis(last, has_labels=has_labels),
            *(value_axis(lane) if is_series else []),
        ],
        "marks": [*marks, _pointer()],
    }


def _data(lane: dict[str, Any]) -> list[Spec]:
    if lane["kind"] == "series":
        return series_data(lane)
    return [ROWS, {"name": "messages", "values": []}] if lane["kind"] == "arrows" else [ROWS]


def _time_axis(last: float, *, has_labels: bool) -> Spec:
    seconds = "format(datum.value, '~r') + ' s'"
    minutes = "floor(datum.value / 60) + ':' + pad(format(datum.value % 60, '~r'), 2, '0', 'left')"
    return {
        "orient": "top",
        "scale": "x",
        "grid": True,
        "gridColor": theme("line"),
        "domain": False,
        "ticks": False,
        "labels": has_labels,
        "labelColor": theme("soft"),
        "labelFont": FONT,
        "labelPadding": 5,
        "labelFlush": True,
        "values": {"signal": "sequence(ceil(domain[0] / step) * step, domain[1] + 1e-6, step)"},
        "encode": {"labels": {"update": {"text": {"signal": minutes if last > 300 else seconds}}}},
        "zindex": 0,
    }


_STEPS_S = (
    0.0001,
    0.0002,
    0.0005,
    0.001,
    0.002,
    0.005,
    0.01,
    0.02,
    0.05,
    0.1,
    0.2,
    0.5,
    1,
    2,
    5,
    10,
    15,
    30,
    60,
    120,
    300,
    600,
    900,
    1800,
    3600,
    7200,
)


def _step() -> str:
    """Return an expression for the first of the round steps that leaves room for the labels."""
    room = "(domain[1] - domain[0]) / max(2, width / 70)"
    choices = "".join(f"{room} <= {step} ? {step} : " for step in _STEPS_S)
    return f"{choices}14400"


def _between(*, low: Spec, high: Spec) -> Spec:
    """Return the encoding of a rectangle over the lane's whole height."""
    return {"x": low, "x2": high, "y": {"value": 0}, "y2": {"signal": "height"}}


_FROM: Spec = {"scale": "x", "field": "a"}
_TO: Spec = {"scale": "x", "field": "b"}


def _shading(count: int) -> Spec:
    return {
        "type": "rect",
        "clip": True,
        "from": {"data": "faults"},
        "encode": {
            "update": {
                **_between(low=_FROM, high=_TO),
                "fill": theme("fault"),
                # The lane must stay visible under many overlapping faults.
                "fillOpacity": {"value": max(0.05, min(0.13, 0.8 / max(1, count)))},
            }
        },
    }


def _fault_edges(count: int, last: float) -> list[Spec]:
    """Return lines where faults begin, and dashed ones where they end, above the lane's content.

    The closer the lines, the fainter they are: hundreds of them must not hide the lane.
    """
    between_px = f"(width / ({max(1, count)} * (domain[1] - domain[0]) / {last}))"
    return [
        {
            "type": "rule",
            "clip": True,
            "from": {"data": "faults"},
            "encode": {
                "update": {
                    "x": end,
                    "y": {"value": 0},
                    "y2": {"signal": "height"},
                    "stroke": theme("edge"),
                    "strokeWidth": {"value": 1.5},
                    "strokeDash": {"value": dash},
                    "strokeOpacity": {"signal": f"clamp(({between_px} - 10) / 40, 0.05, 0.8)"},
                }
            },
        }
        for end, dash in ((_FROM, []), (_TO, [4, 3]))
    ]


def _pointer() -> Spec:
    return {
        "type": "rule",
        "clip": True,
        "encode": {
            "update": {
                "x": {"signal": "pointer === null ? -9 : scale('x', pointer)"},
                "y": {"value": 0},
                "y2": {"signal": "height"},
                "stroke": theme("ink"),
                "strokeDash": {"value": [3, 3]},
                "opacity": {"value": 0.7},
            }
        },
    }


def _break(at: float) -> Spec:
    """Return the line at which a rule was broken."""
    encode = {
        "x": {"signal": f"scale('x', {at})"},
        "y": {"value": 0},
        "y2": {"signal": "height"},
        "stroke": theme("broken"),
        "strokeWidth": {"value": 3},
    }
    return {"type": "rule", "clip": True, "encode": {"update": encode}}


# Spans ------------------------------------------------------------------------------------------


def _spans(lane: dict[str, Any]) -> list[Spec]:
    if not lane["rows"]:
        return []
    row_px = lane["height"] / len(lane["rows"])
    gap_px = _ROW_GAP_PX if row_px >= _FEWEST_LABEL_PX else 0.6
    y = {"signal": f"datum.r * {row_px:.3f} + {gap_px / 2}"}
    bars: Spec = {
        "type": "rect",
        "clip": True,
        "from": {"data": "rows"},
        "encode": {
            "update": {
                "x": _FROM,
                # At least 2 px, so that an instant is visible too.
                "x2": {"signal": "max(scale('x', datum.b), scale('x', datum.a) + 2)"},
                "y": y,
                "height": {"value": round(row_px - gap_px, 3)},
                "fill": OWN_COLOR,
                "fillOpacity": {"signal": "datum.done === false ? 0 : 1"},
                "stroke": OWN_COLOR,
                "strokeWidth": {"signal": "datum.done === false ? 1 : 0"},
                "cornerRadius": {"value": 2 if row_px >= _FEWEST_LABEL_PX else 0},
            }
        },
    }
    marks = [bars]
    if row_px >= _FEWEST_LABEL_PX:
        marks.append(_span_labels(row_px, beside=lane.get("beside", False)))
    return [*marks, *_row_names(lane, row_px)]


def _span_labels(row_px: float, *, beside: bool) -> Spec:
    """Return the labels of spans: inside if they fit, else with `beside` after the span.

    If a span begins before the visible part, its label is at the left edge.
    """
    left = "max(0, scale('x', datum.a))"
    fits = f"(length(datum.l) * 6.2 + 8 < min(width, scale('x', datum.b)) - {left})"
    x = f"{left} + 4"
    fill = "theme.inside"
    if beside:
        x = f"{fits} && datum.done ? {x} : max(scale('x', datum.b), scale('x', datum.a) + 2) + 5"
        fill = f"{fits} && datum.done ? theme.inside : theme.ink"
    return {
        "type": "text",
        "clip": True,
        "from": {"data": "rows"},
        "encode": {
            "update": {
                "x": {"signal": x},
                "y": {"signal": f"(datum.r + 0.5) * {row_px:.3f} + 0.5"},
                "text": {"field": "l"},
                "baseline": {"value": "middle"},
                "font": {"value": FONT},
                "fontSize": {"value": 10.5},
                "fill": {"signal": fill},
                "opacity": {"value": 1} if beside else {"signal": f"{fits} ? 1 : 0"},
            }
        },
    }


def _row_names(lane: dict[str, Any], row_px: float) -> list[Spec]:
    every = max(1, round(_FEWEST_LABEL_PX / row_px + 0.49))
    names = [
        {"name": name[: LEFT_PX // 5], "r": row}
        for row, name in enumerate(lane["rows"])
        if name and row % every == 0
    ]
    encode = {
        "x": {"value": -6},
        "y": {"signal": f"(datum.r + 0.5) * {row_px:.3f} + 0.5"},
        "text": {"field": "name"},
        "align": {"value": "right"},
        "baseline": {"value": "middle"},
        "font": {"value": FONT},
        "fontSize": {"value": 10.5},
        "limit": {"value": LEFT_PX - 8},
        "fill": theme("soft"),
    }
    rows = {"type": "text", "from": {"data": "names"}, "encode": {"update": encode}}
    return [{"type": "group", "data": [{"name": "names", "values": names}], "marks": [rows]}]


# Arrows -----------------------------------------------------------------------------------------

_STATE_PX = 7
STUB_PX = 16
_HALF_WAY = 0.45


def _arrows(lane: dict[str, Any]) -> list[Spec]:
    """Return a line for each host, thick while it runs, and an arrow for each message.

    The arrow of a message that never arrived ends half way. Arrows have labels if there is room.
    """
    row_px = lane["height"] / max(1, len(lane["rows"]))

    def y(row: str) -> Spec:
        return {"signal": f"({row} + 0.5) * {row_px:.3f}"}

    end_row = f"(isValid(datum.b) ? datum.r2 : datum.r + (datum.r2 - datum.r) * {_HALF_WAY})"
    end_x = f"(isValid(datum.b) ? scale('x', datum.b) : scale('x', datum.a) + {STUB_PX})"
    rise = f"({end_row} - datum.r) * {row_px:.3f}"
    run = f"{end_x} - scale('x', datum.a)"
    between_px = f"(width / max(1, {lane['density']} * (domain[1] - domain[0])))"
    state = {
        "x": _FROM,
        "x2": _TO,
        "y": {"signal": f"(datum.r + 0.5) * {row_px:.3f} - {_STATE_PX / 2}"},
        "height": {"value": _STATE_PX},
        "fill": OWN_COLOR,
        "fillOpacity": {"value": 0.45},
    }
    line = {
        "x": {"scale": "x", "field": "a"},
        "x2": {"signal": end_x},
        "y": y("datum.r"),
        "y2": y(end_row),
        "stroke": OWN_COLOR,
        "strokeWidth": {"signal": "datum.q ? 1.4 : 1"},
        "strokeDash": {"signal": "isValid(datum.b) ? (datum.q ? [] : [2, 2]) : [5, 3]"},
    }
    head = {
        "x": {"signal": end_x},
        "y": y(end_row),
        "shape": {"signal": "isValid(datum.b) ? 'triangle-up' : 'cross'"},
        "angle": {"signal": f"90 + 180 / PI * atan2({rise}, {run})"},
        "size": {"signal": f"clamp({between_px} * 6, 6, 40)"},
        "fill": {"signal": "isValid(datum.b) ? theme[datum.c] : theme.broken"},
    }
    words = {
        "x": {"signal": f"scale('x', datum.a) * 0.6 + {end_x} * 0.4 + 6"},
        "y": y(f"(datum.r * 0.6 + {end_row} * 0.4)"),
        "text": {"field": "l"},
        "font": {"value": FONT},
        "fontSize": {"value": 10.5},
        "baseline": {"value": "middle"},
        "fill": theme("ink"),
        "opacity": {"signal": f"datum.q && {between_px} > 50 ? 1 : 0"},
    }
    return [
        _clipped("rect", "rows", state),
        _clipped("rule", "messages", line),
        _clipped("symbol", "messages", head),
        _clipped("text", "messages", words),
        *_row_names(lane, row_px),
    ]


def _clipped(kind: str, data: str, encode: Spec) -> Spec:
    return {"type": kind, "clip": True, "from": {"data": data}, "encode": {"update": encode}}
