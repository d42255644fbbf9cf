r"""Regular expressions of clients, matched in time linear in the text.

The syntax is RE2's, without Unicode classes, POSIX classes, word boundaries and flags: literals,
`.`, classes, `|`, groups, `* + ? {n,m}` and their lazy forms, `^ $ \A \z`, and the escapes
`\d \w \s \D \W \S \t \n \r \f \v \a \xHH \Q…\E`. A pattern is compiled to a
nondeterministic automaton that is run on all its states at a time, so that no pattern takes
exponential time, as it could in `re`.

Source: `com.google.re2j.Pattern`, which Kafka uses for patterns of clients.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

_MAX_REPEATS: Final = 1_000
_MAX_STATES: Final = 2_000
_MAX_DEPTH: Final = 50
_LAST = 0x10FFFF

Ranges = tuple[tuple[int, int], ...]

_DIGIT: Ranges = ((0x30, 0x39),)
_SPACE: Ranges = ((0x09, 0x0A), (0x0C, 0x0D), (0x20, 0x20))
_WORD: Ranges = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
_ANY_BUT_NEWLINE: Ranges = ((0, 0x09), (0x0B, _LAST))
_SPLIT: Ranges = ()


class BadPatternError(ValueError):
    """The pattern is not valid, not supported, or too large."""


def _inverted(ranges: Iterable[tuple[int, int]]) -> Ranges:
    found = []
    start = 0
    for low, high in sorted(ranges):
        if low > start:
            found.append((start, low - 1))
        start = max(start, high + 1)
    if start <= _LAST:
        found.append((start, _LAST))
    return tuple(found)


_CLASSES = {
    "d": _DIGIT, "s": _SPACE, "w": _WORD,
    "D": _inverted(_DIGIT), "S": _inverted(_SPACE), "W": _inverted(_WORD),
}  # fmt: skip
_CONTROLS = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13, "a": 7}


@dataclass(slots=True, eq=False)
class _State:
    """One state: it consumes a character of `ranges`, or splits, or asserts a position."""

    ranges: Ranges = _SPLIT
    anchor: str = ""
    following: list[int] = field(default_factory=list)


class LinearRegex:
    """A compiled pattern."""

    __slots__ = ("_accept", "_start", "_states")

    def __init__(self, pattern: str) -> None:
        """Compile a pattern.

        Raises:
            BadPatternError
        """
        builder = _Builder()
        self._start, ends = builder.build(_Parser(pattern).whole())
        self._accept = builder.add(_State())
        builder.lead(ends, self._accept)
        self._states = builder.states

    def matches(self, text: str) -> bool:
        """True if the pattern matches the whole text."""
        current = self._closure((self._start,), 0, len(text))
        for index, character in enumerate(text, 1):
            code = ord(character)
            reached = [
                after
                for each in current
                if _contains(self._states[each].ranges, code)
                for after in self._states[each].following
            ]
            if not reached:
                return False
            current = self._closure(reached, index, len(text))
        return self._accept in current

    def _closure(self, starts: Iterable[int], index: int, length: int) -> dict[int, None]:
        """Return the states that are reached without a character."""
        found: dict[int, None] = {}
        stack = list(starts)
        while stack:
            each = stack.pop()
            if each in found:
                continue
            found[each] = None
            state = self._states[each]
            if state.ranges:
                continue
            if (state.anchor == "^" and index) or (state.anchor == "$" and index != length):
                continue
            stack += state.following
        return found


def _contains(ranges: Ranges, code: int) -> bool:
    return any(low <= code <= high for low, high in ranges)


class _Part(NamedTuple):
    """A parsed part of a pattern: its kind, and what that kind needs."""

    kind: str
    """single, sequence, alternatives or repeat."""
    state: _State | None = None
    parts: tuple["_Part", ...] = ()
    least: int = 1
    most: int | None = 1


_Fragment = tuple[int, list[int]]
"""The first state of a part, and the states that lead out of it."""


class _Builder:
    """Adds the states of parsed parts."""

    def __init__(self) -> None:
        self.states: list[_State] = []

    def add(self, state: _State) -> int:
        if len(self.states) >= _MAX_STATES:
            raise BadPatternError("the pattern is too large")
        self.states.append(state)
        return len(self.states) - 1

    def lead(self, ends: Iterable[int], start: int) -> None:
        for end in ends:
            self.states[end].following.append(start)

    def build(self, part: _Part) -> _Fragment:
        if part.state is not None:
            index = self.add(_State(part.state.ranges, part.state.anchor))
            return index, [index]
        if part.kind == "repeat":
            return self._repeat(part)
        first = self.add(_State())
        if part.kind == "sequence":
            ends = [first]
            for each in part.parts:
                ends = self._after(ends, each)
            return first, ends
        return first, [end for each in part.parts for end in self._after([first], each)]

    def _after(self, ends: Iterable[int], part: _Part) -> list[int]:
        start, more = self.build(part)
        self.lead(ends, start)
        return more

    def _repeat(self, part: _Part) -> _Fragment:
        (repeated,) = part.parts
        first = self.add(_State())
        ends = [first]
        for _ in range(part.least):
            ends = self._after(ends, repeated)
        if part.most is None:
            loop = self.add(_State())
            self.lead(ends, loop)
            self.lead(self._after([loop], repeated), loop)
            return first, [loop]
        out = list(ends)
        for _ in range(part.most - part.least):
            ends = self._after(ends, repeated)
            out += ends
        return first, out


class _Parser:
    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.depth = 0

    def whole(self) -> _Part:
        found = self._alternatives()
        if self.at < len(self.pattern):
            raise BadPatternError("unexpected )")
        return found

    def _peek(self) -> str:
        return self.pattern[self.at : self.at + 1]

    def _take(self) -> str:
        character = self._peek()
        if not character:
            raise BadPatternError("the pattern ends too early")
        self.at += 1
        return character

    def _skip(self, text: str) -> bool:
        if self.pattern.startswith(text, self.at):
            self.at += len(text)
            return True
        return False

    def _alternatives(self) -> _Part:
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise BadPatternError("the groups are nested too deeply")
        parts = [self._sequence()]
        while self._skip("|"):
            parts.append(self._sequence())
        self.depth -= 1
        return _Part("alternatives", parts=tuple(parts))

    def _sequence(self) -> _Part:
        parts = []
        while self._peek() not in ("", "|", ")"):
            parts.append(self._repeated())
        return _Part("sequence", parts=tuple(parts))

    def _repeated(self) -> _Part:
        atom = self._atom()
        bounds = self._bounds()
        if bounds is None:
            return atom
        # Whether a repetition is lazy makes no difference to whether the whole text matches.
        self._skip("?")
        if self._peek() in ("*", "+", "?"):
            raise BadPatternError(f"invalid nested repetition operator at {self.at}")
        return _Part("repeat", parts=(atom,), least=bounds[0], most=bounds[1])

    def _bounds(self) -> tuple[int, int | None] | None:
        if self._skip("*"):
            return 0, None
        if self._skip("+"):
            return 1, None
        if self._skip("?"):
            return 0, 1
        if self._peek() != "{":
            return None
        end = self.pattern.find("}", self.at)
        low, comma, high = self.pattern[self.at + 1 : max(end, 0)].partition(",")
        if end < 0 or not _is_number(low) or (high and not _is_number(high)):
            # As RE2: a brace that begins no repetition is a literal.
            return None
        self.at = end + 1
        least = int(low)
        most = (int(high) if high else None) if comma else least
        if least > _MAX_REPEATS or (most is not None and not least <= most <= _MAX_REPEATS):
            raise BadPatternError(f"invalid repeat count {{{low}{comma}{high}}}")
        return least, most

    # Atoms

    def _atom(self) -> _Part:
        character = self._take()
        if character == "(":
            return self._group()
        if character in ("*", "+", "?"):
            raise BadPatternError(f"missing argument to repetition operator {character}")
        if character in ("^", "$"):
            return _Part("single", _State(anchor=character))
        if character == ".":
            return _single(_ANY_BUT_NEWLINE)
        if character == "[":
            return _single(self._class())
        if character != "\\":
            return _literal(character)
        if self._skip("A"):
            return _Part("single", _State(anchor="^"))
        if self._skip("z"):
            return _Part("single", _State(anchor="$"))
        if self._skip("Q"):
            return self._quoted()
        return _single(self._escape())

    def _quoted(self) -> _Part:
        end = self.pattern.find("\\E", self.at)
        text = self.pattern[self.at : end if end >= 0 else None]
        self.at = end + 2 if end >= 0 else len(self.pattern)
        return _Part("sequence", parts=tuple(_literal(character) for character in text))

    def _group(self) -> _Part:
        if self._skip("?") and not self._skip(":"):
            if not (self._skip("P<") or self._skip("<")):
                raise BadPatternError("flags in groups are not supported")
            while self._take() != ">":
                pass
        found = self._alternatives()
        if not self._skip(")"):
            raise BadPatternError("missing closing )")
        return found

    def _escape(self) -> Ranges:
        character = self._take()
        if character in _CLASSES:
            return _CLASSES[character]
        if character in _CONTROLS:
            return ((_CONTROLS[character], _CONTROLS[character]),)
        if character == "x":
            code = self._hexadecimal()
            return ((code, code),)
        if character.isalnum():
            raise BadPatternError(f"invalid escape sequence \\{character}")
        return ((ord(character), ord(character)),)

    def _hexadecimal(self) -> int:
        if self._skip("{"):
            end = self.pattern.find("}", self.at)
            digits = self.pattern[self.at : max(end, self.at)]
            self.at = end + 1
        else:
            digits = self.pattern[self.at : self.at + 2]
            self.at += 2
            if len(digits) < 2:
                digits = ""
        try:
            code = int(digits, 16) if digits.isalnum() else -1
        except ValueError:
            code = -1
        if not 0 <= code <= _LAST:
            raise BadPatternError("invalid escape sequence \\x")
        return code

    def _class(self) -> Ranges:
        is_inverted = self._skip("^")
        ranges: list[tuple[int, int]] = []
        is_first = True
        while is_first or self._peek() != "]":
            is_first = False
            if self.pattern.startswith("[:", self.at):
                raise BadPatternError("POSIX classes are not supported")
            low = self._class_item()
            if len(low) == 1 and low[0][0] == low[0][1] and self._is_range():
                self._take()
                high = self._class_item()
                if len(high) != 1 or high[0][0] != high[0][1] or high[0][0] < low[0][0]:
                    raise BadPatternError("invalid character class range")
                ranges.append((low[0][0], high[0][0]))
            else:
                ranges += low
        self._take()
        return _inverted(ranges) if is_inverted else tuple(ranges)

    def _is_range(self) -> bool:
        return self._peek() == "-" and self.pattern[self.at + 1 : self.at + 2] not in ("", "]")

    def _class_item(self) -> Ranges:
        character = self._take()
        return self._escape() if character == "\\" else ((ord(character), ord(character)),)


def _single(ranges: Ranges) -> _Part:
    # A class without characters matches nothing: its range has no character.
    return _Part("single", _State(ranges or ((_LAST + 1, _LAST + 1),)))


def _literal(character: str) -> _Part:
    return _single(((ord(character), ord(character)),))


def _is_number(text: str) -> bool:
    return 0 < len(text) < 6 and text.isascii() and text.isdigit()
