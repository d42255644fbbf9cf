"""The audit log: one line for each denial, as Kafka's `kafka.authorizer.logger` has it.

A client that is denied something repeats its request again and again. The same denial is written
once in a minute, followed by the number of its repetitions.

Source: `StandardAuthorizerData.buildAuditMessage`.
"""

import logging
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from minikafka.common.principal import KafkaPrincipal
from minikafka.security.acl import (
    Acl,
    AclOperation,
    AclResourceType,
    PatternType,
    PermissionType,
)

_log = logging.getLogger("minikafka.authorizer")
_WINDOW_MS: Final = 60_000
MAX_DENIALS: Final = 1_000
"""The limit for different denials in a minute that are written."""
_LONGEST_NAME: Final = 255
_TYPES: Final = {
    AclResourceType.TOPIC: "Topic",
    AclResourceType.GROUP: "Group",
    AclResourceType.CLUSTER: "Cluster",
    AclResourceType.TRANSACTIONAL_ID: "TransactionalId",
    AclResourceType.DELEGATION_TOKEN: "DelegationToken",
    AclResourceType.USER: "User",
}


class Denial(NamedTuple):
    """What a principal may not do. Requests that repeat it differ in host and API at most."""

    principal: KafkaPrincipal
    operation: int
    resource_type: int
    name: str

    def text(self, host: str = "", api: str = "") -> str:
        """Return the line as Kafka has it; without a host, that of several requests."""
        kind = _TYPES.get(AclResourceType(self.resource_type), "Unknown")
        return (
            f"Principal = {_plain(str(self.principal))} is Denied "
            f"operation = {AclOperation(self.operation).name}"
            + (f" from host = {host}" if host else "")
            + f" on resource = {kind}:LITERAL:{_plain(self.name)}"
            + (f" for request = {api}" if api else "")
        )


@dataclass(slots=True, eq=False, repr=False)
class DenialLog:
    """Writes denials; the memory for those of the last minute is bounded."""

    count: int = 0
    """The number of denials since the start."""
    _since_ms: int = 0
    _repeats: dict[Denial, int] = field(default_factory=dict)
    _unwritten: int = 0

    def note(self, denial: Denial, host: str, api: str, rule: Acl | str, now_ms: int) -> None:
        """Write a denial, or count it."""
        self.count += 1
        if len(denial.name) > _LONGEST_NAME:
            denial = denial._replace(name=denial.name[:_LONGEST_NAME])
        if now_ms - self._since_ms >= _WINDOW_MS:
            self._end_window(now_ms)
        known = self._repeats.get(denial)
        if known is not None:
            self._repeats[denial] = known + 1
            return
        if len(self._repeats) >= MAX_DENIALS:
            self._unwritten += 1
            return
        self._repeats[denial] = 0
        _log.info("%s based on rule %s", denial.text(host, api), _rule(rule))

    def _end_window(self, now_ms: int) -> None:
        for denial, repeats in self._repeats.items():
            if repeats:
                _log.info("%s: %d more times within a minute", denial.text(), repeats)
        if self._unwritten:
            _log.info(
                "%d more denials within a minute, of more than %d kinds",
                self._unwritten, MAX_DENIALS,
            )  # fmt: skip
        self._repeats.clear()
        self._unwritten = 0
        self._since_ms = now_ms


def _rule(rule: Acl | str) -> str:
    if isinstance(rule, str):
        return rule
    return (
        f"MatchingAcl(acl=StandardAcl(resourceType={AclResourceType(rule.resource_type).name}, "
        f"resourceName={_plain(rule.resource_name)}, "
        f"patternType={PatternType(rule.pattern_type).name}, principal={_plain(rule.principal)}, "
        f"host={rule.host}, operation={AclOperation(rule.operation).name}, "
        f"permissionType={PermissionType(rule.permission_type).name}))"
    )


def _plain(text: str) -> str:
    """Return a text without line breaks: a client chooses the names of groups."""
    return text if text.isprintable() else text.encode("unicode_escape").decode()
