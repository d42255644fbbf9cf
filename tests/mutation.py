"""Code that is changed while it runs: one guard less, so that a check shows what it is for.

A mutation names functions, a piece of the source of each, and what stands there instead. The piece
must be in the source, so that a mutation cannot outlive the guard that it removes.
"""

import inspect
import sys
import textwrap
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import NamedTuple

_HANDLER = ("@broker_api", "@controller_api")


class Edit(NamedTuple):
    """`function` is dotted from its module: "Class.method" or "name"."""

    module: str
    function: str
    old: str
    new: str


class Mutation(NamedTuple):
    """A rule that is not enforced any more."""

    name: str
    edits: tuple[Edit, ...]


class UnitMutation(NamedTuple):
    """A guard that is removed, the test that notices, and why that is not a plan."""

    mutation: Mutation
    test: str
    why: str

    @property
    def name(self) -> str:
        """What is weakened."""
        return self.mutation.name


def mutation(name: str, *edits: tuple[str, str, str, str]) -> Mutation:
    """Take modules by their names below `minikafka`."""
    return Mutation(
        name,
        tuple(Edit(f"minikafka.{module}", *rest) for module, *rest in edits),
    )


@contextmanager
def applied(mutation: Mutation) -> Iterator[None]:
    """Run with a rule weakened."""
    with ExitStack() as stack:
        for edit in mutation.edits:
            stack.enter_context(_edited(mutation.name, edit))
        yield


def _edited_handler(handler: FunctionType, source: str) -> Iterator[None]:
    """The registry of APIs knows the handler: only its code changes."""
    space: dict[str, FunctionType] = {}
    exec(source, handler.__globals__, space)
    former, handler.__code__ = handler.__code__, space[handler.__name__].__code__
    try:
        yield
    finally:
        handler.__code__ = former


@contextmanager
def _edited(name_of_mutation: str, edit: Edit) -> Iterator[None]:
    module = import_module(edit.module)
    *owners, name = edit.function.split(".")
    owner = module
    for each in owners:
        owner = getattr(owner, each)
    former = inspect.getattr_static(owner, name)
    function = former.fget if isinstance(former, property) else former
    source = getattr(function, "mutated_source", None) or textwrap.dedent(
        inspect.getsource(function)
    )
    if edit.old not in source:
        raise LookupError(f"{name_of_mutation}: {edit.function} has no {edit.old!r}")
    space: dict[str, object] = {}
    source = source.replace(edit.old, edit.new)
    if source.startswith(_HANDLER):
        yield from _edited_handler(function, source[source.index("\ndef ") + 1 :])
        return
    exec(source, vars(module), space)
    mutant = space[name]
    if not isinstance(mutant, property):
        # A second edit of the same function goes on from here.
        mutant.mutated_source = source
    setattr(owner, name, mutant)
    # Other modules may have taken the function under its own name.
    if not owners:
        _replace_in_modules(name, former, mutant)
    try:
        yield
    finally:
        setattr(owner, name, former)
        if not owners:
            # Also in modules that were imported meanwhile, as those of APIs are.
            _replace_in_modules(name, mutant, former)


def _replace_in_modules(name: str, present: object, other: object) -> None:
    for module in list(sys.modules.values()):
        if getattr(module, name, None) is present and module.__name__.startswith("minikafka"):
            setattr(module, name, other)


def write_between(path: Path, begin: str, end: str, text: str) -> None:
    """Put text between two marks of a file."""
    content = path.read_text(encoding="utf-8")
    before, _, rest = content.partition(begin)
    _, _, after = rest.partition(end)
    path.write_text(f"{before}{begin}{text}{end}{after}", encoding="utf-8")
