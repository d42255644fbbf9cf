"""The list of packages that a release is made of."""

import json
from importlib.metadata import version

from tools import write_sbom

LOCK = """\
# a comment
One.Two[extra]==1.0 ; python_version < "4" \\
    --hash=sha256:{a} \\
    --hash=sha256:{b}
three==2
""".format(a="a" * 64, b="b" * 64)


def test_a_lock_file_is_read():
    assert list(write_sbom.locked(LOCK)) == [
        ("one-two", "1.0", ["a" * 64, "b" * 64]),
        ("three", "2", []),
    ]


def test_packages_have_their_scope_and_hashes(tmp_path):
    target = tmp_path / "new" / "sbom.json"
    write_sbom.main([str(target)])
    content = json.loads(target.read_text())
    scopes = {each["name"]: each["scope"] for each in content["components"]}
    assert [name for name, scope in scopes.items() if scope == "required"] == [
        "cramjam",
        "crc32c",
        "uvloop",
        "xxhash",
    ]
    assert scopes["cryptography"] == "optional"
    assert scopes["pytest"] == "excluded"
    assert all(each["hashes"] for each in content["components"])


def test_the_versions_are_those_that_are_installed():
    versions = {each["name"]: each["version"] for each in write_sbom.document()["components"]}
    assert {name: version(name) for name in ("crc32c", "pytest")} == {
        name: versions[name] for name in ("crc32c", "pytest")
    }
