"""Addresses of files that Kafka would also load from the network."""

from typing import Final
from urllib.parse import urlsplit

from minikafka.config.definition import Key
from minikafka.config.values import Config

_LOCAL: Final = ("", "localhost")


def path_of(
    values: Config, key: Key[str | None], contents: str, example: str, errors: list[str]
) -> str:
    """Return the path of the file that a key names; add a sentence to `errors` if it names none.

    `contents` is what the file has, in the plural.
    """
    url = (values[key] or "").strip()
    if not url:
        errors.append(f"{key.name}: is required for signed tokens, as {example}")
        return ""
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme in ("http", "https"):
        errors.append(
            f"{key.name}: {url}: {contents} are only read from files; save them in a file and name "
            f"it, as {example}"
        )
    elif parts.scheme != "file" or parts.netloc not in _LOCAL or not parts.path.strip("/"):
        errors.append(f"{key.name}: {url}: expected a file, as {example}")
    return parts.path
