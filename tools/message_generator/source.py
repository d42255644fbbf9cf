"""Lines of Python being written, and the version branches around them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tools.message_generator.versions import Versions

WIDTH = 100


class Source:
    """Lines with indentation; remembers which `struct` layouts they use."""

    def __init__(self, indent: int = 0) -> None:
        self.lines: list[str] = []
        self.layouts: dict[str, str] = {}
        self._indent = indent
        self._last_when = ("", 0, 0)

    def line(self, text: str = "") -> None:
        """One line."""
        self.lines.append("    " * self._indent + text if text else "")

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """An indented block under `head`."""
        self.line(head)
        with self.indented():
            yield

    @contextmanager
    def indented(self) -> Iterator[None]:
        """One level deeper."""
        self._indent += 1
        yield
        self._indent -= 1

    @contextmanager
    def when(self, versions: Versions, within: Versions) -> Iterator[None]:
        """A block for `versions` where the version is known to be `within`; flat if always true.

        Goes on with the block just before it if that has the same condition.
        """
        condition = versions.condition(within)
        if condition is None:
            yield
            return
        self._open(condition)
        with self.indented():
            yield
        self._last_when = (condition, self._indent, len(self.lines))

    def _open(self, condition: str) -> None:
        """Start a block, unless the one just before has the same condition."""
        if self._last_when != (condition, self._indent, len(self.lines)):
            self.line(f"if {condition}:")

    def chain(self, branches: list[tuple[int, Callable[[], None]]]) -> None:
        """An if/elif/else over `version`, newest first: (lowest version, writer of the body).

        A branch that writes nothing is left out, at the end, or gets a `pass` before others.
        """
        bodies = [(low, self._captured(write)) for low, write in branches]
        while bodies and not bodies[-1][1]:
            bodies.pop()
            if not bodies:
                return
        if len(branches) == 1:
            self.lines += self._shifted(bodies[0][1], 0)
            return
        if len(bodies) == 1:
            condition = f"version >= {bodies[0][0]}"
            self._open(condition)
            self.lines += self._shifted(bodies[0][1], 1)
            self._last_when = (condition, self._indent, len(self.lines))
            return
        for index, (low, body) in enumerate(bodies):
            word = "el" if index else ""
            is_last = index == len(branches) - 1
            self.line("else:" if is_last else f"{word}if version >= {low}:")
            self.lines += self._shifted(body or ["pass"], 1)

    def _captured(self, write: Callable[[], None]) -> list[str]:
        kept, self.lines, depth, self._indent = self.lines, [], self._indent, 0
        outer_when, self._last_when = self._last_when, ("", 0, 0)
        write()
        body, self.lines, self._indent = self.lines, kept, depth
        self._last_when = outer_when
        return body

    def _shifted(self, body: list[str], levels: int) -> list[str]:
        pad = "    " * (self._indent + levels)
        return [pad + text if text else "" for text in body]

    def items(self, head: str, items: list[str], tail: str) -> None:
        """`head`, the items with commas, `tail`: on one line if it fits, else one item a line."""
        flat = head + ", ".join(items) + tail
        if len(flat) + 4 * self._indent <= WIDTH:
            self.line(flat)
            return
        self.line(head)
        with self.indented():
            for item in items:
                self.line(f"{item},")
        self.line(tail)

    def unpack(self, codes: list[str]) -> str:
        """The name of the function that unpacks this layout."""
        return self._layout("_unpack", codes)

    def pack(self, codes: list[str]) -> str:
        """The name of the function that packs this layout."""
        return self._layout("_pack", codes)

    def _layout(self, verb: str, codes: list[str]) -> str:
        letters = "".join(_LETTERS.get(code, code) for code in codes)
        name = f"{verb}_{letters}"
        attribute = "unpack_from" if verb == "_unpack" else "pack"
        self.layouts[name] = f'{name} = Struct(">{"".join(codes)}").{attribute}'
        return name


_LETTERS = {"16s": "u", "?": "o"}
