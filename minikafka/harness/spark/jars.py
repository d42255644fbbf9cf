"""Spark's Kafka connector: resolved once by Spark's Ivy, then used from a checked cache.

PySpark does not include the connector. Versions are pinned together: PySpark 4.0.5 and connector
4.0.0, the newest one whose dependencies are all in every repository that was tried. The jars come
from the first of these sources:

0. A folder with the jars (`--jars`); no network is needed.
1. `MINIKAFKA_SPARK_JARS=/a.jar,/b.jar`, which names the jars; nothing is resolved.
2. The cache (`MINIKAFKA_CACHE`, else the user's cache folder): a list of jars with SHA-256 that an
   earlier run resolved, if every jar exists and is unchanged.
3. `spark.jars.packages`, with this project's settings file for Ivy (`MINIKAFKA_IVY_SETTINGS` names
   another, for a mirror). The resolved jars are then written to the cache's list. One process at a
   time does this.

No repository's address is in this file.
"""

import fcntl
import hashlib
import json
import os
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self, TextIO
from urllib.parse import unquote, urlparse

from minikafka.harness.plan.settings import HarnessError

CONNECTOR = "org.apache.spark:spark-sql-kafka-0-10_2.13:4.0.0"
_LIST_NAME = "spark-connector-4.0.0.json"
_LOCK_NAME = "resolving.lock"
SILENT_WAIT_S = 2.0
"""The longest wait for the lock that is not reported."""
_BUNDLED_SETTINGS = Path(__file__).with_name("ivysettings.xml")

NEEDED = (
    "spark-sql-kafka-0-10_2.13",
    "spark-token-provider-kafka-0-10_2.13",
    "kafka-clients",
    "commons-pool2",
)
"""The artifacts that a pip-installed PySpark lacks."""

REMEDIES = (
    "Give the machine access to a Maven repository that has it (for a mirror, copy "
    "minikafka/harness/spark/ivysettings.xml, set its root attribute, and name the copy in "
    "MINIKAFKA_IVY_SETTINGS), or name a folder with the jars by --jars DIR."
)


@dataclass(frozen=True, slots=True)
class JarSource:
    """The source of the connector's jars in this run. If `jars` is empty, Ivy resolves them."""

    jars: tuple[Path, ...]
    ivy_folder: Path
    ivy_settings: Path

    @classmethod
    def choose(
        cls, environ: Mapping[str, str], home: Path, folder: str | Path | None = None
    ) -> Self:
        """Choose the source by folder, environment and cache.

        Raises:
            HarnessError: if a file that the environment names, or a jar in the folder, is missing.
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
        """Return the configuration for a session builder."""
        if self.jars:
            return {"spark.jars": ",".join(str(jar.absolute()) for jar in self.jars)}
        return {
            "spark.jars.packages": CONNECTOR,
            "spark.jars.ivy": str(self.ivy_folder),
            "spark.jars.ivySettings": str(self.ivy_settings),
        }

    def remember(self, resolved: str, bundled: Path) -> None:
        """Write the jars that Ivy resolved to the cache's list.

        `resolved` is the session's `spark.jars`, `bundled` the folder of PySpark's own jars, which
        need not be given to Spark again.
        """
        if self.jars:
            return
        have = {path.name for path in bundled.glob("*.jar")}
        jars = [Path(unquote(urlparse(item).path)) for item in resolved.split(",") if item]
        needed = [jar for jar in jars if _artifact_file(jar) not in have]
        write_list(self.ivy_folder.parent, needed)


@contextmanager
def chosen(
    environ: Mapping[str, str],
    home: Path,
    folder: str | Path | None = None,
    on_phase: Callable[[str], None] = lambda _: None,
) -> Iterator[JarSource]:
    """Choose the source as `JarSource.choose`; hold a lock while Ivy must resolve.

    Two processes that filled Ivy's cache at the same time would see each other's unfinished
    downloads. The first one remembers the jars, the others use them. `on_phase` is called, from
    another thread, with what a wait of more than `SILENT_WAIT_S` is for, and at its end.

    Raises:
        HarnessError: as `JarSource.choose`, or if the cache folder cannot be written.
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
        _take(lock, on_phase)
        yield JarSource.choose(environ, home, folder)


def _take(lock: TextIO, on_phase: Callable[[str], None]) -> None:
    """Take a lock; report a wait that is not short."""
    with suppress(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return
    was_reported = threading.Event()

    def report() -> None:
        was_reported.set()
        on_phase(
            "waiting for another run that downloads Spark's Kafka connector: it holds the lock "
            f"{lock.name}"
        )

    timer = threading.Timer(SILENT_WAIT_S, report)
    timer.start()
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
    finally:
        timer.cancel()
        timer.join()
    if was_reported.is_set():
        on_phase("starting Spark")


def in_folder(folder: Path) -> list[Path]:
    """Find the connector and its dependencies, except PySpark's own jars, in a folder.

    Raises:
        HarnessError: names the missing artifact.
    """
    found = []
    for artifact in NEEDED:
        pattern = re.compile(rf"(?:.*_)?{re.escape(artifact)}-\d[\w.]*\.jar")
        names = [path for path in sorted(folder.glob("*.jar")) if pattern.fullmatch(path.name)]
        if not names:
            raise HarnessError(
                f"--jars {folder} has no {artifact}-VERSION.jar; it must have the jars"
                f" {', '.join(NEEDED)} that version {CONNECTOR.rpartition(':')[2]} needs."
            )
        found.append(names[-1])
    return found


def _artifact_file(jar: Path) -> str:
    """Remove the prefix `group_`, which Ivy adds to a file name; groups have no underscore."""
    return jar.name.partition("_")[2]


def cache_folder(environ: Mapping[str, str], home: Path) -> Path:
    """The folder in which minikafka keeps files that can be made again."""
    if environ.get("MINIKAFKA_CACHE"):
        return Path(environ["MINIKAFKA_CACHE"])
    return Path(environ.get("XDG_CACHE_HOME") or home / ".cache") / "minikafka"


def read_list(cache: Path) -> list[Path]:
    """Return the jars of the cache's list; empty unless each exists and has the noted SHA-256."""
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
    """Write the cache's list, with the SHA-256 of each jar, atomically."""
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
    """Return a message with the artifact and the remedies if Spark's log shows that Ivy failed."""
    missing = sorted({name.rstrip(":;,") for name in _UNRESOLVED.findall(log)})
    if missing:
        artifact = missing[0].partition("!")[0].replace("#", ":").replace(";", ":")
        return f"Spark's Kafka connector could not be resolved: {artifact} is missing. {REMEDIES}"
    if "ivy" in log.lower() and "resolution" in log.lower() and "Exception" in log:
        return f"Spark's Kafka connector ({CONNECTOR}) could not be resolved. {REMEDIES}"
    return None
