"""The parts of Vega specifications that lanes with numbers need: series of values over time."""

from typing import Any

from minikafka.harness.page.spec_parts import FONT, OWN_COLOR, ROWS, Spec, theme

_MIN_TOP = 10


def value_axis(lane: dict[str, Any]) -> list[Spec]:
    """Return the vertical axis of a series lane."""
    return [
        {
            "orient": "left",
            "scale": "y",
            "grid": True,
            "gridColor": theme("line"),
            "domain": False,
            "ticks": False,
            "labelColor": theme("soft"),
            "labelFont": FONT,
            "labelPadding": 6,
            **({"values": _powers(*_extent(lane))} if lane["scale"] == "log" else {}),
            "tickCount": 3,
            "encode": {"labels": {"update": {"text": {"signal": "format(datum.value, '~s')"}}}},
        }
    ]


def _powers(low: float, high: float) -> list[float]:
    """Return the powers of ten in a range."""
    return [10.0**power for power in range(-1, 9) if low <= 10.0**power <= high]


def series_data(lane: dict[str, Any]) -> list[Spec]:
    """Return the data of a series lane, without its values."""
    if lane["shape"] not in {"area", "bars"}:
        return [ROWS, {"name": "points", "values": lane.get("points", [])}]
    stack = {"type": "stack", "groupby": ["t"], "sort": {"field": "s"}, "field": "v"}
    return [{**ROWS, "transform": [stack]}]


def series_scales(lane: dict[str, Any]) -> list[Spec]:
    """Return the vertical scale of a series lane."""
    low, high = _extent(lane)
    scale: Spec = {"name": "y", "type": lane["scale"], "range": "height", "domain": [low, high]}
    return [{**scale, "nice": False, "zero": lane["scale"] != "log"}]


def _extent(lane: dict[str, Any]) -> tuple[float, float]:
    columns = [one["v"] for one in lane["series"]]
    known = [value for column in columns for value in column if value is not None]
    if lane["shape"] in {"area", "bars"}:
        known = [sum(values) for values in zip(*columns, strict=True)]
    if lane["scale"] == "log":
        return max(0.1, 0.8 * min(known, default=1)), 1.3 * max([1, *known])
    return 0, 1.04 * max([_MIN_TOP, *known])


def series(lane: dict[str, Any]) -> list[Spec]:
    """Return the marks of a series lane: an area, bars, steps or lines."""
    if lane["shape"] == "bars":
        return [_stacked_bars(lane["step"])]
    mark = _area() if lane["shape"] == "area" else _line(lane["shape"])
    group: Spec = {
        "type": "group",
        "clip": True,
        "from": {"facet": {"name": "one", "data": "rows", "groupby": "s"}},
        "encode": {"update": {"width": {"signal": "width"}, "height": {"signal": "height"}}},
        "marks": [mark],
    }
    return [group, _points()] if lane.get("points") else [group]


_AT: Spec = {"scale": "x", "field": "t"}


def _area() -> Spec:
    encode = {
        "x": _AT,
        "y": {"scale": "y", "field": "y0"},
        "y2": {"scale": "y", "field": "y1"},
        "fill": OWN_COLOR,
        "interpolate": {"value": "step-after"},
    }
    return {"type": "area", "from": {"data": "one"}, "encode": {"update": encode}}


def _line(shape: str) -> Spec:
    encode = {
        "x": _AT,
        "y": {"scale": "y", "field": "v"},
        "stroke": OWN_COLOR,
        "strokeWidth": {"value": 1.7},
        "defined": {"signal": "isValid(datum.v)"},
        "interpolate": {"value": "step-after" if shape == "steps" else "linear"},
    }
    return {"type": "line", "from": {"data": "one"}, "encode": {"update": encode}}


def _points() -> Spec:
    encode = {
        "x": _AT,
        "y": {"scale": "y", "field": "v"},
        "shape": {"value": "triangle-down"},
        "size": {"value": 60},
        "fill": theme("broken"),
        "stroke": theme("card"),
    }
    return {
        "type": "symbol",
        "clip": True,
        "from": {"data": "points"},
        "encode": {"update": encode},
    }


def _stacked_bars(step: float) -> Spec:
    encode = {
        "x": _AT,
        "x2": {"signal": f"max(scale('x', datum.t + {step}), scale('x', datum.t) + 1.5)"},
        "y": {"scale": "y", "field": "y0"},
        "y2": {"scale": "y", "field": "y1"},
        "fill": OWN_COLOR,
    }
    return {"type": "rect", "clip": True, "from": {"data": "rows"}, "encode": {"update": encode}}
