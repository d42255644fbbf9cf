"""Keys that ask for what this node does not have: protection is refused, the rest is a warning.

A node that silently ignored `authorizer.class.name` or `ssl.*` would let everybody in where its
operator believes that it does not.
"""

from collections.abc import Mapping

from minikafka.config.definition import parse_list

_SECURITY_PREFIXES = ("ssl.", "sasl.", "security.providers", "principal.builder.class")
_AUTHORIZER = "authorizer.class.name"
_TIERED_STORAGE = "remote.log.storage.system.enable"
_CONFIG_PROVIDERS = "config.providers"
_CLEANUP_POLICY = "log.cleanup.policy"
NOTHING_IS_COMPACTED = "log compaction is not available: nothing is deleted by key, segments stay"


def refusals(given: Mapping[str, str]) -> list[str]:
    """A sentence for each key without which this node must not start."""
    found = []
    if given.get(_AUTHORIZER, "").strip():
        found.append(
            f"{_AUTHORIZER}: authorization is not available, every client could do everything; "
            "remove the key to run without it"
        )
    if given.get(_TIERED_STORAGE, "").strip().lower() == "true":
        found.append(f"{_TIERED_STORAGE}: tiered storage is not available; allowed: false")
    return found


def warnings(given: Mapping[str, str]) -> list[str]:
    """A sentence for each key that promises what this node does not do."""
    found = []
    secured = sorted(name for name in given if is_about_security(name))
    if secured:
        found.append(
            "every listener is PLAINTEXT: nothing is encrypted and no client is authenticated; "
            f"without effect: {', '.join(secured)}"
        )
    if given.get(_CONFIG_PROVIDERS, "").strip():
        found.append(
            f"{_CONFIG_PROVIDERS}: has no effect; ${{provider:path:key}} in values is not resolved"
        )
    if "compact" in parse_list(given.get(_CLEANUP_POLICY, "")):
        found.append(f"{_CLEANUP_POLICY}: {NOTHING_IS_COMPACTED}")
    return found


def is_about_security(name: str) -> bool:
    """True for a key that one warning about all such keys names."""
    if name.startswith("listener.name."):
        return ".ssl." in name or ".sasl." in name
    return name.startswith(_SECURITY_PREFIXES)
