"""The engines that read and judge the records of a run: Spark, or DuckDB on this machine.

Both execute the same statements (`verdict.engine`). Nothing of either is imported here.
"""

import importlib.util
from collections.abc import Callable
from typing import Final

AUTO: Final = "auto"
SPARK: Final = "spark"
LOCAL: Final = "local"
ENGINES: Final = (AUTO, SPARK, LOCAL)

_DESCRIPTIONS: Final = {
    SPARK: "spark",
    LOCAL: "local (DuckDB; without Spark and Java)",
}


def choose(option: str, find_spec: Callable[[str], object] = importlib.util.find_spec) -> str:
    """Return the engine for an option: "auto" is Spark if PySpark is installed, else local."""
    if option != AUTO:
        return option
    return LOCAL if find_spec("pyspark") is None else SPARK


def describe(engine: str) -> str:
    """Return an engine's name for the console."""
    return _DESCRIPTIONS[engine]
