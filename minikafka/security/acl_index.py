"""The entries about one type of resource, by name and principal.

A decision reads the entries of its principal and of `User:*` only, so that its cost does not depend
on how many principals have entries about the same resource.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from minikafka.security.acl import (
    WILDCARD,
    Acl,
    AclOperation,
    PatternType,
    PermissionType,
)

EVERYBODY: Final = "User:*"
_ALL: Final = AclOperation.ALL


@dataclass(slots=True, eq=False, repr=False)
class _Patterns:
    """The entries of one pattern type: by name and principal, and their number by name."""

    entries: dict[tuple[str, str], list[Acl]] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)

    def add(self, acl: Acl) -> None:
        self.entries.setdefault((acl.resource_name, acl.principal), []).append(acl)
        self.names[acl.resource_name] = self.names.get(acl.resource_name, 0) + 1

    def remove(self, acl: Acl) -> None:
        key = (acl.resource_name, acl.principal)
        entries = self.entries[key]
        entries.remove(acl)
        if not entries:
            del self.entries[key]
        self.names[acl.resource_name] -= 1
        if not self.names[acl.resource_name]:
            del self.names[acl.resource_name]


@dataclass(slots=True, eq=False, repr=False)
class AclIndex:
    """The entries about one type of resource."""

    _literal: _Patterns = field(default_factory=_Patterns)
    _prefixed: _Patterns = field(default_factory=_Patterns)
    _by_principal: dict[str, list[Acl]] = field(default_factory=dict)
    _lengths: tuple[int, ...] | None = ()
    """The lengths of the prefixes, ascending; None if they are not known."""

    def add(self, acl: Acl) -> None:
        """Add an entry."""
        self._by_principal.setdefault(acl.principal, []).append(acl)
        self._patterns(acl).add(acl)

    def remove(self, acl: Acl) -> None:
        """Remove an entry that was added."""
        entries = self._by_principal[acl.principal]
        entries.remove(acl)
        if not entries:
            del self._by_principal[acl.principal]
        self._patterns(acl).remove(acl)

    def _patterns(self, acl: Acl) -> _Patterns:
        if acl.pattern_type != PatternType.PREFIXED:
            return self._literal
        self._lengths = None
        return self._prefixed

    def matching(self, who: str, name: str) -> Iterator[Acl]:
        """Yield the entries about a principal whose pattern matches a name."""
        names = (name,) if name == WILDCARD else (name, WILDCARD)
        principals = (who,) if who == EVERYBODY else (who, EVERYBODY)
        for each in names:
            for principal in principals:
                yield from self._literal.entries.get((each, principal), ())
        if self._prefixed.entries:
            for prefix in self._prefixes(name):
                for principal in principals:
                    yield from self._prefixed.entries.get((prefix, principal), ())

    def has_any(self, name: str) -> bool:
        """True if an entry about any principal has a pattern that matches a name."""
        literal = self._literal.names
        if name in literal or WILDCARD in literal:
            return True
        return any(prefix in self._prefixed.names for prefix in self._prefixes(name))

    def _prefixes(self, name: str) -> Iterator[str]:
        """Yield the beginnings of a name that are as long as some prefix."""
        if self._lengths is None:
            self._lengths = tuple(sorted({len(prefix) for prefix in self._prefixed.names}))
        for length in self._lengths:
            if length > len(name):
                return
            yield name[:length]

    def allows_any(self, who: str, host: str, operation: int) -> bool:
        """True if the entries of a principal allow an operation on some resource.

        As Kafka: an entry that implies the operation does not count.
        """
        literal: dict[int, set[str]] = {PermissionType.ALLOW: set(), PermissionType.DENY: set()}
        prefixed: dict[int, set[str]] = {PermissionType.ALLOW: set(), PermissionType.DENY: set()}
        for principal in {who, EVERYBODY}:
            for acl in self._by_principal.get(principal, ()):
                if acl.operation in (_ALL, operation) and acl.host in (WILDCARD, host):
                    is_prefix = acl.pattern_type == PatternType.PREFIXED
                    (prefixed if is_prefix else literal)[acl.permission_type].add(acl.resource_name)
        denied, allowed = literal[PermissionType.DENY], literal[PermissionType.ALLOW]
        if WILDCARD in denied:
            return False
        if WILDCARD in allowed:
            return True
        denied_prefixes = prefixed[PermissionType.DENY]
        lengths = sorted({len(prefix) for prefix in denied_prefixes})
        return any(
            all(name[:length] not in denied_prefixes for length in lengths)
            for name in (allowed - denied) | prefixed[PermissionType.ALLOW]
        )
