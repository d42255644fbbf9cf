"""The principal of a client that has shown a certificate: `ssl.principal.mapping.rules`.

Source: `SslPrincipalMapper`, `DefaultKafkaPrincipalBuilder`.
"""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple
from warnings import catch_warnings, simplefilter

from minikafka.common.principal import ANONYMOUS, USER, KafkaPrincipal

# As Kafka's pattern; an empty item has no effect.
_RULE: Final = r"(DEFAULT)|RULE:((?:\\.|[^\\/])*)/((?:\\.|[^\\/])*)/([LU]?).*?|(.*?)"
_SPLIT: Final = re.compile(rf"\s*({_RULE})\s*(?:,\s*|$)")
_PARSED: Final = re.compile(_RULE)
_REFERENCE: Final = re.compile(r"\\(.)|\$(\d)(\d*)", re.DOTALL)


class _Rule(NamedTuple):
    """A pattern for whole names, and their replacement; no pattern keeps every name."""

    pattern: re.Pattern[str] | None
    replacement: str
    case: str

    def apply(self, name: str) -> str | None:
        if self.pattern is None:
            return name
        if self.pattern.fullmatch(name) is None:
            return None
        result = self.pattern.sub(self._replaced, name)
        return (
            result.lower() if self.case == "L" else result.upper() if self.case == "U" else result
        )

    def _replaced(self, found: re.Match[str]) -> str:
        r"""Return the replacement of a match, as Java reads it: $1 is a group, \\ escapes."""
        groups = found.re.groups

        def part(reference: re.Match[str]) -> str:
            if reference[1] is not None:
                return reference[1]
            # More digits belong to the number while there is a group of that number.
            number, rest = int(reference[2]), reference[3]
            if number > groups:
                return reference[0]
            while rest and number * 10 + int(rest[0]) <= groups:
                number, rest = number * 10 + int(rest[0]), rest[1:]
            return (found[number] or "") + rest

        return _REFERENCE.sub(part, self.replacement)


class SslPrincipalMapper:
    """Maps the distinguished names in certificates to principals."""

    def __init__(self, rules: str) -> None:
        """Parse the rules.

        Raises:
            ValueError: a rule cannot be parsed; the text names it.
        """
        self._rules = [rule for text in _split(rules) for rule in _parse(text)]

    def principal(self, certificate_name: str | None) -> KafkaPrincipal | None:
        """Return the principal of a client with this name in its certificate, or without one.

        None if no rule applies to the name: the client has no principal, not even the anonymous.
        """
        if certificate_name is None:
            return ANONYMOUS
        for rule in self._rules:
            name = rule.apply(certificate_name)
            if name is not None:
                return KafkaPrincipal(USER, name)
        return None


def _split(rules: str) -> list[str]:
    return [found[1] for found in _SPLIT.finditer(rules.strip())]


def _parse(text: str) -> Sequence[_Rule]:
    found = _PARSED.match(text)
    if found is None or found.end() != len(text):
        rest = text[found.end() :] if found else text
        raise ValueError(f"{text!r} is not DEFAULT or RULE:pattern/replacement/[LU]; see {rest!r}")
    if found[1] is not None:
        return [_Rule(None, "", "")]
    if found[2] is None:
        return []
    try:
        with catch_warnings():
            # Of what a later release of Python may understand otherwise.
            simplefilter("ignore", FutureWarning)
            pattern = re.compile(found[2])
    except re.error as error:
        raise ValueError(f"{found[2]!r} is not a regular expression: {error}") from None
    return [_Rule(pattern, found[3], found[4])]
