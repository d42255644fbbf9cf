"""Write what a release is made of: `python tools/write_sbom.py [FILE]`, by default out/sbom.json.

The format is CycloneDX 1.6. The packages, versions and hashes are those of the lock files, which
`pip` compares at each installation. `scope` is `required` for the packages of a plain broker,
`optional` for those of an extra, `excluded` for those that only tests and tools use.
"""

import json
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LOCKS = ("check.lock", "processes.lock")
TARGET = ROOT / "out" / "sbom.json"
_LOCKED = re.compile(r"^([\w.-]+)(?:\[[^\]]*\])?==([^\s;\\]+)")
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_NAME = re.compile(r"[\w.-]+")
_OF_TESTS = ("dev", "processes")
"""Extras that no user needs."""


def locked(text: str) -> Iterator[tuple[str, str, list[str]]]:
    """Yield name, version and SHA-256 hashes of each package in a lock file."""
    package: tuple[str, str, list[str]] | None = None
    for line in text.splitlines():
        found = _LOCKED.match(line)
        if found is not None:
            if package is not None:
                yield package
            package = (_canonical(found[1]), found[2], [])
        if package is not None:
            package[2].extend(_HASH.findall(line))
    if package is not None:
        yield package


def scopes(project: dict[str, Any]) -> dict[str, str]:
    """Return the scope of each package that `pyproject.toml` names."""
    found = {
        _canonical(_NAME.findall(each)[0]): "optional"
        for extra, names in project["optional-dependencies"].items()
        if extra not in _OF_TESTS
        for each in names
    }
    return found | {
        _canonical(_NAME.findall(each)[0]): "required" for each in project["dependencies"]
    }


def document() -> dict[str, Any]:
    """Return the content of the file."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    scope_of = scopes(project)
    packages = {
        name: (version, hashes)
        for lock in LOCKS
        for name, version, hashes in locked((ROOT / "requirements" / lock).read_text("utf-8"))
    }
    unlocked = sorted(scope_of.keys() - packages.keys() - {project["name"]})
    if unlocked:
        raise SystemExit(f"no lock file has {', '.join(unlocked)}")
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": project["name"],
                "name": project["name"],
                "version": project["version"],
                "licenses": [{"license": {"id": project["license"]}}],
            }
        },
        "components": [
            {
                "type": "library",
                "bom-ref": f"pkg:pypi/{name}@{version}",
                "name": name,
                "version": version,
                "purl": f"pkg:pypi/{name}@{version}",
                "scope": scope_of.get(name, "excluded"),
                "hashes": [{"alg": "SHA-256", "content": each} for each in hashes],
            }
            for name, (version, hashes) in sorted(packages.items())
        ],
    }


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def main(arguments: list[str]) -> None:
    """Write the file that the first argument names."""
    target = Path(arguments[0]) if arguments else TARGET
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(document(), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
