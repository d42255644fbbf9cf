"""Spark's Kafka connector: resolved once by Spark's own Ivy, then used from a cache, checked.

PySpark brings no connector. Versions are pinned together: PySpark 4.0.5 and connector 4.0.0, the
newest whose whole closure is on every repository that was tried. Four ways, in this order:

0. A folder that has them (`--jars`); no network is needed.
1. `MINIKAFKA_SPARK_JARS=/a.jar,/b.jar` names the jars; nothing is resolved.
2. The cache (`MINIKAFKA_CACHE`, else the user's cache folder) holds a list of jars with SHA-256
   that an earlier run resolved; every one is there and unchanged.
3. `spark.jars.packages`, with our own settings file for Ivy (`MINIKAFKA_IVY_SETTINGS` names
   another, for a mirror). What it brought is then put on the list. One process at a time does so.

No repository's address is written down here.
"""

import fcntl
import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from urllib.parse import unquote, urlparse

from minikafka.harness.plan.settings import HarnessError

CONNECTOR = "org.apache.spark:spark-sql-kafka-0-10_2.13:4.0.0"
_LIST_NAME = "spark-connector-4.0.0.json"
_LOCK_NAME = "resolving.lock"
_BUNDLED_SETTINGS = Path(__file__).with_name("ivysettings.xml")

NEEDED = (
    "spark-sql-kafka-0-10_2.13",
    "spark-token-provider-kafka-0-10_2.13",
    "kafka-clients",
    "commons-pool2",
)
"""What a pip-installed PySpark lacks."""

REMEDIES = (
    "Give the machine a Maven repository that has it (a mirror: copy minikafka/harness/"
    "ivysettings.xml, set its root attribute, and name the copy in MINIKAFKA_IVY_SETTINGS), "
    "or name a folder that has the jars with --jars DIR."
)


@dataclass(frozen=True, slots=True)
class JarSource:
    """Where the connector comes from in this run. `jars` empty means: Ivy resolves it."""

    jars: tuple[Path, ...]
    ivy_folder: Path
    ivy_settings: Path

    @classmethod
    def choose(
        cls, environ: Mapping[str, str], home: Path, folder: str | Path | None = None
    ) -> Self:
        """Decide by folder, environment and cache.

        Raises:
            HarnessError: if a file that the environment names is not there, or one of the folder.
        """
        cache = cache_folder(environ, home)
        settings = Path(environ.get("MINIKAFKA_IVY_SETTINGS") or _BUNDLED_SETTINGS)
        if not settings.is_file():
            raise HarnessError(f"MINIKAFKA_IVY_SETTINGS names {settings}, which is not a file.")
        given = environ.get("MINIKAFKA_SPARK_JARS", "")
        if folder:
            jars = tuple(in_folder(Path(folder)))
        elif given:
            jars = tuple(Path(item.strip()) for item in given.split(",") if item.strip())
            for jar in jars:
                if not jar.is_file():
                    raise HarnessError(f"MINIKAFKA_SPARK_JARS names {jar}, which is not a file.")
        else:
            jars = tuple(read_list(cache))
        return cls(jars, cache / "ivy", settings)

    def spark_conf(self) -> dict[str, str]:
        """What a session builder must be told."""
        if self.jars:
            return {"spark.jars": ",".join(str(jar.absolute()) for jar in self.jars)}
        return {
            "spark.jars.packages": CONNECTOR,
            "spark.jars.ivy": str(self.ivy_folder),
            "spark.jars.ivySettings": str(self.ivy_settings),
        }

    def remember(self, resolved: str, bundled: Path) -> None:
        """Put what Ivy brought on the list.

        `resolved` is the session's `spark.jars`, `bundled` the folder of jars that PySpark has
        anyway: what is in there need not be handed to Spark a second time.
        """
        if self.jars:
            return
        have = {path.name for path in bundled.glob("*.jar")}
        jars = [Path(unquote(urlparse(item).path)) for item in resolved.split(",") if item]
        needed = [jar for jar in jars if _artifact_file(jar) not in have]
        write_list(self.ivy_folder.parent, needed)


@contextmanager
def chosen(
    environ: Mapping[str, str], home: Path, folder: str | Path | None = None
) -> Iterator[JarSource]:
    """As `JarSource.choose`; while Ivy has to resolve, other processes wait.

    Two processes that fill Ivy's cache at the same time find each other's unfinished downloads.
    The first one notes the jars, the others use them.

    Raises:
        HarnessError: as `JarSource.choose`, or the cache folder cannot be written.
    """
    source = JarSource.choose(environ, home, folder)
    if source.jars:
        yield source
        return
    cache = source.ivy_folder.parent
    try:
        cache.mkdir(parents=True, exist_ok=True)
        lock = (cache / _LOCK_NAME).open("w", encoding="utf-8")
    except OSError as error:
        raise HarnessError(
            f"cannot write to {cache}: {error.strerror}; name another folder in MINIKAFKA_CACHE."
        ) from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield JarSource.choose(environ, home, folder)


def in_folder(folder: Path) -> list[Path]:
    """The connector and what it needs besides PySpark's own jars, out of a folder.

    Raises:
        HarnessError: naming what is not there.
    """
    found = []
    for artifact in NEEDED:
        pattern = re.compile(rf"(?:.*_)?{re.escape(artifact)}-\d[\w.]*\.jar")
        names = [path for path in sorted(folder.glob("*.jar")) if pattern.fullmatch(path.name)]
        if not names:
            raise HarnessError(
                f"--jars {folder} has no {artifact}-VERSION.jar; it must have"
                f" {', '.join(NEEDED)}, such as {CONNECTOR.rpartition(':')[2]} of the first needs."
            )
        found.append(names[-1])
    return found


def _artifact_file(jar: Path) -> str:
    """Ivy puts `group_` before the artifact's own file name; groups have no underscore."""
    return jar.name.partition("_")[2]


def cache_folder(environ: Mapping[str, str], home: Path) -> Path:
    """Where minikafka keeps what can be made again."""
    if environ.get("MINIKAFKA_CACHE"):
        return Path(environ["MINIKAFKA_CACHE"])
    return Path(environ.get("XDG_CACHE_HOME") or home / ".cache") / "minikafka"


def read_list(cache: Path) -> list[Path]:
    """The jars on the cache's list; empty unless every one is there with the noted SHA-256."""
    try:
        noted = json.loads((cache / _LIST_NAME).read_text(encoding="utf-8"))
        jars = [(Path(row["path"]), row["sha256"]) for row in noted["jars"]]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    for path, sha256 in jars:
        if not path.is_file() or _sha256(path) != sha256:
            return []
    return [path for path, _ in jars]


def write_list(cache: Path, jars: Sequence[Path]) -> None:
    """Note these jars and their SHA-256, in one step."""
    cache.mkdir(parents=True, exist_ok=True)
    rows = [{"path": str(jar), "sha256": _sha256(jar)} for jar in jars]
    content = json.dumps({"connector": CONNECTOR, "jars": rows}, indent=1)
    unfinished = cache / f"{_LIST_NAME}.{os.getpid()}"
    unfinished.write_text(content, encoding="utf-8")
    unfinished.replace(cache / _LIST_NAME)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


_UNRESOLVED = re.compile(r"(?:unresolved dependency: |not found: ?|FAILED\s+\] )([\w.\-]+#\S+)")


def explain_failure(log: str) -> str | None:
    """One sentence with the artifact and the remedies, if Spark's log says that Ivy failed."""
    missing = sorted({name.rstrip(":;,") for name in _UNRESOLVED.findall(log)})
    if missing:
        artifact = missing[0].partition("!")[0].replace("#", ":").replace(";", ":")
        return f"Spark's Kafka connector could not be resolved: {artifact} is missing. {REMEDIES}"
    if "ivy" in log.lower() and "resolution" in log.lower() and "Exception" in log:
        return f"Spark's Kafka connector ({CONNECTOR}) could not be resolved. {REMEDIES}"
    return None
