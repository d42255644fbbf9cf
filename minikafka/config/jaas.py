"""JAAS configuration texts: `module required key="value" ...;`, with one login module.

No error shows a value, since values are passwords; nor a word that may be the rest of a value,
after a quote or a semicolon in it. Source: `JaasConfig`, `JaasContext`.
"""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

_FLAGS: Final = ("required", "requisite", "sufficient", "optional")
_SPACE_OR_COMMENT: Final = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_WORD: Final = re.compile(r"[A-Za-z_$\x80-\U0010ffff][\w.$\-\x80-\U0010ffff]*", re.ASCII)
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_QUOTED: Final = {
    quote: re.compile(rf"{quote}((?:[^{quote}\\\n\r]|\\[^\n\r])*){quote}") for quote in "\"'"
}
_SHOWN: Final = 60


class JaasError(ValueError):
    """A JAAS text that cannot be used; the message names what is wrong, without any value."""


class LoginModule(NamedTuple):
    """One login module and its options."""

    name: str
    options: Mapping[str, str]

    def __repr__(self) -> str:
        return f"LoginModule({self.name}, {len(self.options)} options)"

    @property
    def short_name(self) -> str:
        """The name of the class without its package."""
        return self.name.rpartition(".")[2]


def parse_jaas(text: str) -> LoginModule:
    """Return the login module of a JAAS text.

    Raises:
        JaasError: the text has none, or more than one, or is malformed.
    """
    tokens = _Tokens(text)
    found: list[LoginModule] = []
    while not tokens.at_end:
        found.append(_module(tokens))
    if len(found) != 1:
        raise JaasError(f"has {len(found)} login modules; expected one")
    return found[0]


def _module(tokens: "_Tokens") -> LoginModule:
    name = tokens.word()
    if name is None:
        raise JaasError("expected the name of a login module at its start or after a semicolon")
    flag = tokens.word()
    if flag is None or flag.lower() not in _FLAGS:
        raise JaasError(
            f"after the name of a login module a control flag is missing; allowed: "
            f"{', '.join(_FLAGS)}; a value with a semicolon needs quotes"
        )
    options: dict[str, str] = {}
    while not tokens.take(";"):
        if tokens.at_end:
            raise JaasError("does not end with a semicolon")
        key = tokens.word()
        if key is None:
            raise JaasError(f"expected an option or a semicolon after {_after(options)}")
        if not tokens.take("="):
            raise JaasError(
                f'the option after {_after(options)} has no value; write option="value", and a '
                "backslash before a quote in the value"
            )
        value = tokens.word()
        if value is None:
            raise JaasError(
                f"the value of option {key[:_SHOWN]} is missing, or not in matching quotes"
            )
        options[key] = value
    return LoginModule(name, options)


def _after(options: Mapping[str, str]) -> str:
    return f"option {list(options)[-1][:_SHOWN]}" if options else "the control flag"


class _Tokens:
    """Reads words, quoted texts and separators."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._skip()

    @property
    def at_end(self) -> bool:
        return self._at == len(self._text)

    def take(self, separator: str) -> bool:
        """Move behind a separator; False if something else is there."""
        if not self._text.startswith(separator, self._at):
            return False
        self._at += len(separator)
        self._skip()
        return True

    def word(self) -> str | None:
        """Return the next word or quoted text; None if there is none."""
        quoted = _QUOTED.get(self._text[self._at : self._at + 1])
        found = (quoted or _WORD).match(self._text, self._at)
        if found is None:
            return None
        self._at = found.end()
        self._skip()
        return found[0] if quoted is None else _unescaped(found[1])

    def _skip(self) -> None:
        found = _SPACE_OR_COMMENT.match(self._text, self._at)
        assert found is not None, "the pattern matches nothing, too"
        self._at = found.end()


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda it: _ESCAPES.get(it[1], it[1]), text, flags=re.DOTALL)
