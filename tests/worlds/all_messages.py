"""The messages that are not in the package, generated into a temporary folder for tests."""

import atexit
import shutil
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import mkdtemp

from tools.generate_messages import not_served

SCHEMAS = Path(__file__).resolve().parents[2] / "schemas"


@cache
def make_importable() -> None:
    """Let `minikafka.messages` have every message, in this process."""
    folder = Path(mkdtemp(prefix="kafka-messages-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name, text in not_served(SCHEMAS).items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for package in ("", ".metadata_records", ".coordinator", ".data"):
        below = folder / package.lstrip(".")
        import_module(f"minikafka.messages{package}").__path__.append(str(below))
