"""The authorizer: may a principal do something to a resource?

The rules of `StandardAuthorizer`: super users may do everything; an entry that denies has
precedence over all that allow; without any entry for a resource `allow.everyone.if.no.acl.found`
decides; otherwise what no entry allows is denied.

Source: `StandardAuthorizerData`, `Authorizer.authorizeByResourceType`, KIP-290, KIP-679.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from minikafka.common.principal import KafkaPrincipal
from minikafka.config import authorizer_keys as keys
from minikafka.config.values import Config
from minikafka.security.acl import WILDCARD, Acl, AclOperation, PermissionType
from minikafka.security.acl_index import AclIndex
from minikafka.security.denials import DenialLog
from minikafka.security.not_ready import SUPER_USER, AuthorizerNotReadyError

_log = logging.getLogger("minikafka.authorizer")
_ALL: Final = AclOperation.ALL
_IMPLIES_DESCRIBE: Final = frozenset(
    (AclOperation.READ, AclOperation.WRITE, AclOperation.DELETE, AclOperation.ALTER)
)
_NO_NAME: Final = "hardcode"
"""A name that no entry is about but one for all (`Authorizer.authorizeByResourceType`)."""


_MAX_KNOWN: Final = 10_000
"""The limit for decisions that are kept until the next change."""
_MAX_WARNED: Final = 20
_LONGEST_KNOWN: Final = 255
"""The longest name whose decisions are kept; the names of topics are shorter."""


class AclDecision(NamedTuple):
    """Whether something is allowed, and the reason: an entry, or the name of a rule."""

    allowed: bool
    rule: Acl | str


def implies(allowed: int, operation: int) -> bool:
    """True if who may do `allowed` may do `operation`, too. Denials imply nothing."""
    if operation == AclOperation.DESCRIBE:
        return allowed in _IMPLIES_DESCRIBE
    return operation == AclOperation.DESCRIBE_CONFIGS and allowed == AclOperation.ALTER_CONFIGS


@dataclass(slots=True, eq=False, repr=False)
class Authorizer:
    """Decides by entries, super users and `allow.everyone.if.no.acl.found`.

    The entries change with the metadata: `replace`, `change`. Before the first time nothing can be
    decided but that super users may do everything.
    """

    super_users: frozenset[str]
    allows_without_acls: bool
    denials: DenialLog = field(default_factory=DenialLog)
    is_ready: bool = False
    generation: int = 0
    """The number of changes: a decision holds for one generation."""
    acl_count: int = 0
    _warned: set[str] = field(default_factory=set)
    _types: dict[int, AclIndex] = field(default_factory=dict)
    _known: dict[tuple[str, str, int, int, str], AclDecision] = field(default_factory=dict)
    _known_for_any: dict[tuple[str, str, int, int], bool] = field(default_factory=dict)

    def replace(self, acls: Iterable[Acl]) -> None:
        """Decide by these entries from now on."""
        self._types = {}
        self.acl_count = 0
        self.change((), acls)
        self.is_ready = True

    def change(self, removed: Iterable[Acl], added: Iterable[Acl]) -> None:
        """Decide without some of the entries, and with others, from now on."""
        for acl in removed:
            self._types[acl.resource_type].remove(acl)
            self.acl_count -= 1
        for acl in added:
            self._types.setdefault(acl.resource_type, AclIndex()).add(acl)
            self.acl_count += 1
        self._known.clear()
        self._known_for_any.clear()
        self.generation += 1

    def decide(
        self, principal: KafkaPrincipal, host: str, operation: int, resource_type: int, name: str
    ) -> AclDecision:
        """Decide about one operation on one resource by a client at an address.

        Raises:
            AuthorizerNotReadyError: the entries are not known yet.
        """
        who = f"{principal.type}:{principal.name}"
        key = (who, host, operation, resource_type, name)
        known = self._known.get(key)
        if known is not None:
            return known
        if who in self.super_users:
            return AclDecision(allowed=True, rule=SUPER_USER)
        if not self.is_ready:
            self._warn(who)
            raise AuthorizerNotReadyError
        decision = self._decide(*key)
        if len(name) <= _LONGEST_KNOWN:
            if len(self._known) >= _MAX_KNOWN:
                self._known.clear()
            self._known[key] = decision
        return decision

    def _warn(self, who: str) -> None:
        """Say once that a principal is not served yet: a quorum may wait in vain."""
        if who not in self._warned and len(self._warned) < _MAX_WARNED:
            self._warned.add(who)
            _log.warning(
                "%s is not served: the ACLs are not known yet. If it is a controller, add it to "
                "super.users: voters elect a leader before they know the ACLs",
                who[:_LONGEST_KNOWN],
            )

    def _decide(
        self, who: str, host: str, operation: int, resource_type: int, name: str
    ) -> AclDecision:
        allowing: Acl | None = None
        of_type = self._types.get(resource_type)
        for acl in of_type.matching(who, name) if of_type is not None else ():
            if acl.host not in (WILDCARD, host):
                continue
            if acl.permission_type == PermissionType.DENY:
                if acl.operation in (_ALL, operation):
                    return AclDecision(allowed=False, rule=acl)
            elif acl.operation in (_ALL, operation) or implies(acl.operation, operation):
                allowing = allowing or acl
        if allowing is not None:
            return AclDecision(allowed=True, rule=allowing)
        if self.allows_without_acls and not (of_type is not None and of_type.has_any(name)):
            return AclDecision(allowed=True, rule="DefaultAllow")
        return AclDecision(allowed=False, rule="DefaultDeny")

    def decide_for_any(
        self, principal: KafkaPrincipal, host: str, operation: int, resource_type: int
    ) -> bool:
        """Decide whether there is a resource of this type on which the operation is allowed.

        As Kafka: an entry that implies the operation does not count.

        Raises:
            AuthorizerNotReadyError: the entries are not known yet.
        """
        if self.decide(principal, host, operation, resource_type, _NO_NAME).allowed:
            return True
        who = f"{principal.type}:{principal.name}"
        key = (who, host, operation, resource_type)
        known = self._known_for_any.get(key)
        if known is None:
            of_type = self._types.get(resource_type)
            known = of_type is not None and of_type.allows_any(who, host, operation)
            if len(self._known_for_any) >= _MAX_KNOWN:
                self._known_for_any.clear()
            self._known_for_any[key] = known
        return known


def configured_authorizer(values: Config) -> Authorizer | None:
    """Return the authorizer that a node's configuration names, or None.

    `super.users` was checked at the start.
    """
    if not values[keys.AUTHORIZER_CLASS_NAME]:
        return None
    names = (name.strip() for name in values[keys.SUPER_USERS].split(";"))
    return Authorizer(
        super_users=frozenset(name for name in names if name),
        allows_without_acls=values[keys.ALLOW_EVERYONE_IF_NO_ACL_FOUND],
    )
