"""Keys for features that this node does not have: the node refuses to start, or logs a warning.

A node that silently ignored `ssl.*` while no listener has TLS would encrypt nothing, although its
operator believes that it does. `config/sasl.py` warns about the keys of SASL.
"""

from collections.abc import Mapping

_SECURITY_PREFIXES = ("ssl.", "sasl.", "security.providers", "principal.builder.class")
_TIERED_STORAGE = "remote.log.storage.system.enable"
_CONFIG_PROVIDERS = "config.providers"


def refusals(given: Mapping[str, str]) -> list[str]:
    """One sentence for each key with which this node must not start."""
    found = []
    if given.get(_TIERED_STORAGE, "").strip().lower() == "true":
        found.append(f"{_TIERED_STORAGE}: tiered storage is not available; allowed: false")
    return found


def warnings(given: Mapping[str, str]) -> list[str]:
    """One sentence for each key that promises a feature that this node does not have."""
    found = []
    secured = sorted(
        name for name in given if is_about_security(name) and ".sasl." not in f".{name}"
    )
    if secured and not _may_have_tls(given):
        found.append(
            "no listener has TLS: nothing is encrypted; these keys have no effect: "
            f"{', '.join(secured)}"
        )
    if given.get(_CONFIG_PROVIDERS, "").strip():
        found.append(
            f"{_CONFIG_PROVIDERS}: has no effect; ${{provider:path:key}} in values is not resolved"
        )
    return found


def _may_have_tls(given: Mapping[str, str]) -> bool:
    """True if a listener may have TLS."""
    names = (given.get("listener.security.protocol.map", ""), given.get("listeners", ""))
    return any("SSL" in text.upper() for text in names)


def is_about_security(name: str) -> bool:
    """True for a security key; one warning names all of them."""
    if name.startswith("listener.name."):
        return ".ssl." in name or ".sasl." in name
    return name.startswith(_SECURITY_PREFIXES)
