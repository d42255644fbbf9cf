"""The report of measurements as a table and as JSON: medians, spreads, ratios."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from minikafka.bench.plan import LOADS, Load, Measurement

Results = Mapping[tuple[str, str], Sequence[Measurement]]
"""(name of the load, name of the target) → one measurement per round."""


class LoadSummary(NamedTuple):
    """A summary of the measurements of one load against one target."""

    median: float
    spread: float
    client_cores: float
    broker_ms_per_mb: float | None
    broker_us_per_request: float | None
    p99_us: float | None


def summarize(load: Load, measurements: Sequence[Measurement]) -> LoadSummary:
    """Return the medians; the spread is (largest - smallest) / median."""
    values = [it.value(load.figure) for it in measurements]
    middle = median(values)
    return LoadSummary(
        middle,
        (max(values) - min(values)) / middle,
        median(it.client_cpu_s / it.seconds for it in measurements),
        _median_known(it.broker_ms_per_mb for it in measurements),
        _median_known(it.broker_us_per_request for it in measurements),
        _median_known(it.p99_us for it in measurements),
    )


def summarize_all(results: Results) -> dict[tuple[str, str], LoadSummary]:
    """Return a summary for each load and target with measurements."""
    return {key: summarize(LOADS[key[0]], found) for key, found in results.items() if found}


def print_table(
    console: Console, summaries: Mapping[tuple[str, str], LoadSummary], targets: Sequence[str]
) -> None:
    """Print a row per load, a column per target, and the ratios of the first to the others."""
    table = Table(title="Medians (spread), processor time of brokers and client")
    table.add_column("load")
    for target in targets:
        table.add_column(target, justify="right")
    for target in targets[1:]:
        table.add_column(f"ratio to {target}", justify="right")
    for name, load in LOADS.items():
        row = [summaries.get((name, target)) for target in targets]
        if any(row):
            table.add_row(*_cells(load, row), end_section=True)
    console.print(table)
    console.print(
        "Spread: (largest - smallest) / median. Broker: processor time of all brokers. Client: "
        "processors that the load's own process kept busy; near 1 or above, the client is the "
        "bottleneck, and the figures say less about the brokers.",
        style="dim",
    )


def write_json(
    path: Path,
    conditions: Mapping[str, Any],
    results: Results,
    summaries: Mapping[tuple[str, str], LoadSummary],
    processes: Mapping[str, Any],
) -> None:
    """Write all measurements and their conditions."""
    loads = [
        {
            "load": name,
            "target": target,
            "figure": LOADS[name].figure,
            **summary._asdict(),
            "rounds": [it._asdict() for it in results[name, target]],
        }
        for (name, target), summary in summaries.items()
    ]
    content = {"conditions": dict(conditions), "loads": loads, "processes": dict(processes)}
    path.write_text(json.dumps(content, indent=2) + "\n")


def _cells(load: Load, row: Sequence[LoadSummary | None]) -> list[str]:
    cells = [f"{load.name}\n[dim]{load.summary}[/dim]"]
    cells += ["-" if it is None else _cell(load, it) for it in row]
    first, *others = row
    for other in others:
        cells.append(f"{first.median / other.median:.2f}x" if first and other else "-")
    return cells


def _cell(load: Load, it: LoadSummary) -> str:
    lines = [f"{_number(it.median)} {load.figure} ({it.spread:.0%})"]
    if it.p99_us is not None:
        lines.append(f"p99 {it.p99_us:,.0f} µs")
    if load.records_per_request == 1 and it.broker_us_per_request is not None:
        lines.append(f"broker {it.broker_us_per_request:.0f} µs/request")
    elif it.broker_ms_per_mb is not None:
        lines.append(f"broker {it.broker_ms_per_mb:.2f} ms/MB")
    lines.append(f"client {it.client_cores:.2f}")
    return "\n".join(lines)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def _median_known(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None
