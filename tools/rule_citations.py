"""Finds the rules that a source file cites in docstrings and comments.

A rule is cited by its number: `H3`, or `U1-U4` for several.
"""

import ast
import re
import tokenize
from collections.abc import Container, Iterator

WHOLE_FILE = "the whole file"
"""Name of the place of a citation outside functions and classes."""

_CITATION = re.compile(r"\b([A-Z])(\d{1,2})(?:-(?:\1)?(\d{1,2}))?\b")

_Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def cited(text: str, known: Container[str]) -> list[str]:
    """Return the rules of `known` that a text names; a range names all rules in it."""
    found: dict[str, None] = {}
    for letter, first, last in _CITATION.findall(text):
        for number in range(int(first), int(last or first) + 1):
            if f"{letter}{number}" in known:
                found[f"{letter}{number}"] = None
    return list(found)


def citations(source: str, known: Container[str]) -> Iterator[tuple[str, str]]:
    """Yield each rule that is cited, and the name of the function or class that cites it."""
    tree = ast.parse(source)
    places = [
        (node.lineno, node.end_lineno or node.lineno, node.name)
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
    ]
    texts = [(_line_of(node), ast.get_docstring(node) or "") for node in _documented(tree)]
    lines = iter(source.splitlines(keepends=True))
    texts += [
        (token.start[0], token.string)
        for token in tokenize.generate_tokens(lambda: next(lines, ""))
        if token.type == tokenize.COMMENT
    ]
    for line, text in texts:
        around = [place for place in places if place[0] <= line <= place[1]]
        name = max(around)[2] if around else WHOLE_FILE
        for rule in cited(text, known):
            yield rule, name


def _documented(tree: ast.Module) -> list[_Documented]:
    return [node for node in ast.walk(tree) if isinstance(node, _Documented)]


def _line_of(node: _Documented) -> int:
    return 0 if isinstance(node, ast.Module) else node.lineno
