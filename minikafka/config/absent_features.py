"""Keys for features that this node does not have: the node refuses to start, or logs a warning.

A node that silently ignored `ssl.*` while no listener has TLS would encrypt nothing, although its
operator believes that it does. A node without the operator's principal builder would know clients
by other names than the ACLs. `config/sasl.py` warns about the keys of SASL.
"""

import re
from collections.abc import Iterator, Mapping

_SECURITY_PREFIXES = ("ssl.", "sasl.", "security.providers", "principal.builder.class")
_TIERED_STORAGE = "remote.log.storage.system.enable"
_CONFIG_PROVIDERS = "config.providers"
_PRINCIPAL_BUILDER = re.compile(r"(listener\.name\.[^.]+\.)?principal\.builder\.class")
_DEFAULT_BUILDER = "org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder"
_JAAS_CONFIG = "sasl.jaas.config"
_REFERENCE = re.compile(r"\$\{[^}:]+:[^}]*\}")


def refusals(given: Mapping[str, str]) -> list[str]:
    """One sentence for each key with which this node must not start."""
    found = []
    if given.get(_TIERED_STORAGE, "").strip().lower() == "true":
        found.append(f"{_TIERED_STORAGE}: tiered storage is not available; allowed: false")
    found += _plug_ins_for_principals(given)
    if given.get(_CONFIG_PROVIDERS, "").strip():
        # The reference itself would be the password.
        found += [
            f"{name}: has a reference to a config provider, which is not resolved; write the value"
            for name, text in given.items()
            if name.endswith(_JAAS_CONFIG) and _REFERENCE.search(text)
        ]
    return found


def _plug_ins_for_principals(given: Mapping[str, str]) -> Iterator[str]:
    for name, text in given.items():
        if _PRINCIPAL_BUILDER.fullmatch(name) and text.strip().removeprefix("class ") not in (
            "",
            _DEFAULT_BUILDER,
        ):
            yield f"{name}: plug-ins are not available; allowed: {_DEFAULT_BUILDER}"


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
