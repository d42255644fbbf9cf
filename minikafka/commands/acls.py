"""List, add and remove access control lists (Kafka: `AclCommand`).

The texts are those of Kafka. The order of lines is the order of the options and of the cluster's
answer; that of Kafka's tool differs from run to run.
"""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from minikafka.admin.acls import create_acls, delete_acls, describe_acls
from minikafka.admin.client import AdminClient, AdminError
from minikafka.commands.java_errors import exception_text
from minikafka.commands.options import Options, ToolError, UsageError
from minikafka.security.acl import (
    CLUSTER_NAME,
    SUPPORTED_OPERATIONS,
    WILDCARD,
    Acl,
    AclFilter,
    AclOperation,
    AclResourceType,
    PatternType,
    PermissionType,
)

_ANY_ENTRY: Final = (None, None, AclOperation.ANY, PermissionType.ANY)
_OPERATIONS: Final = {
    operation.name.replace("_", ""): operation
    for operation in AclOperation
    if operation > AclOperation.ANY
}
_RESOURCES: Final = {
    "topic": AclResourceType.TOPIC,
    "group": AclResourceType.GROUP,
    "transactional-id": AclResourceType.TRANSACTIONAL_ID,
    "delegation-token": AclResourceType.DELEGATION_TOKEN,
    "user-principal": AclResourceType.USER,
}
_PRODUCER: Final = (AclOperation.WRITE, AclOperation.DESCRIBE, AclOperation.CREATE)
_PRODUCER_ID: Final = (AclOperation.WRITE, AclOperation.DESCRIBE)
_CONSUMER: Final = (AclOperation.READ, AclOperation.DESCRIBE)


class _Pattern(NamedTuple):
    """The resources of an entry, or of a filter."""

    resource_type: int
    name: str
    pattern_type: int

    def __str__(self) -> str:
        return (
            f"ResourcePattern(resourceType={AclResourceType(self.resource_type).name}, "
            f"name={self.name}, patternType={PatternType(self.pattern_type).name})"
        )


class _Entry(NamedTuple):
    """An entry without its resources."""

    principal: str
    host: str
    operation: int
    permission_type: int

    def __str__(self) -> str:
        return (
            f"(principal={self.principal}, host={self.host}, "
            f"operation={AclOperation(self.operation).name}, "
            f"permissionType={PermissionType(self.permission_type).name})"
        )


_Wanted = dict[_Pattern, list[_Entry]]
_CLUSTER: Final = _Pattern(AclResourceType.CLUSTER, CLUSTER_NAME, PatternType.LITERAL)


def check(options: Options) -> None:
    """Check the resources and operations of the options.

    Raises:
        UsageError: the options name no resource, or an operation that it does not have.
        ToolError: a principal or a pattern type is not valid.
    """
    if options.has("list"):
        return
    pattern_type = _pattern_type(options)
    if options.has("add") and pattern_type not in (PatternType.LITERAL, PatternType.PREFIXED):
        raise UsageError(
            f"A '--resource-pattern-type' value of '{pattern_type.name}' is not valid when adding "
            "acls."
        )
    wanted = _wanted(options)
    if options.has("add") and not all(wanted.values()):
        raise UsageError(
            "You must specify one of: --allow-principal, --deny-principal when trying to add ACLs."
        )


def change_or_list(options: Options, client: AdminClient) -> None:
    """Do the action of the options.

    Raises:
        ToolError: an option is not valid, or the cluster refuses.
    """
    action = _list
    if not options.has("list"):
        action = _add if options.has("add") else _remove
    try:
        action(options, client)
    except AdminError as error:
        raise ToolError(exception_text(error)) from None


def print_failure(text: str) -> None:
    """Print the error of a command, as Kafka's tool does."""
    print(f"Error while executing ACL command: {text}")


def _add(options: Options, client: AdminClient) -> None:
    for pattern, entries in _wanted(options).items():
        known = {acl[3:] for acl in describe_acls(client, _every_entry(pattern))}
        for entry in entries:
            if entry in known:
                print(f"Acl (pattern={pattern}, entry={entry}) already exists.")
        missing = [entry for entry in entries if entry not in known]
        if missing:
            print(f"Adding ACLs for resource `{pattern}`: \n {_lines(missing)}\n")
            create_acls(client, [Acl._make((*pattern, *entry)) for entry in missing])


def _remove(options: Options, client: AdminClient) -> None:
    for pattern, entries in _wanted(options).items():
        if entries:
            question = (
                f"Are you sure you want to remove ACLs: \n {_lines(entries)}\n from resource "
                f"filter `{pattern}`? (y/n)"
            )
        else:
            question = (
                f"Are you sure you want to delete all ACLs for resource filter `{pattern}`? (y/n)"
            )
        if options.has("force") or _confirmed(question):
            filters = [AclFilter._make((*pattern, *entry)) for entry in entries]
            delete_acls(client, filters or [_every_entry(pattern)])


def _confirmed(question: str) -> bool:
    print(question, flush=True)
    return sys.stdin.readline().strip().lower() == "y"


def _list(options: Options, client: AdminClient) -> None:
    found: _Wanted = {}
    patterns = _patterns(options)
    filters = [_every_entry(pattern) for pattern in patterns] or [
        AclFilter(AclResourceType.ANY, None, PatternType.ANY, *_ANY_ENTRY)
    ]
    for each in filters:
        for acl in describe_acls(client, each):
            entries = found.setdefault(_Pattern(*acl[:3]), [])
            if acl[3:] not in entries:
                entries.append(_Entry(*acl[3:]))
    principals = _principals(options, "principal")
    if not principals:
        _print_entries(found, lambda _: True)
    for principal in principals:
        print(f"ACLs for principal `{principal}`")
        _print_entries(found, lambda entry, who=principal: entry.principal == who)  # type: ignore[misc]


def _every_entry(pattern: _Pattern) -> AclFilter:
    return AclFilter._make((*pattern, *_ANY_ENTRY))


def _print_entries(found: _Wanted, is_shown: Callable[[_Entry], bool]) -> None:
    for pattern, entries in found.items():
        shown = [entry for entry in entries if is_shown(entry)]
        if shown:
            print(f"Current ACLs for resource `{pattern}`:\n{_lines(shown)}\n")


def _lines(entries: Iterable[_Entry]) -> str:
    return "\n".join(f"\t{entry}" for entry in entries)


# What the options mean


def _wanted(options: Options) -> _Wanted:
    """Return the entries of each resource that the options name.

    Raises:
        UsageError: there is no resource, or one does not have an operation.
    """
    patterns = _patterns(options)
    if not patterns:
        raise UsageError(
            "You must provide at least one resource: --topic <topic> or --cluster or --group "
            "<group> or --delegation-token <Delegation Token ID>"
        )
    wanted: _Wanted = {}
    if options.has("producer"):
        of_type = {
            AclResourceType.TOPIC: _PRODUCER,
            AclResourceType.TRANSACTIONAL_ID: _PRODUCER_ID,
        }
        _add_role(wanted, patterns, of_type, options)
        if options.has("idempotent"):
            wanted[_CLUSTER] = _entries(options, (AclOperation.IDEMPOTENT_WRITE,))
    if options.has("consumer"):
        of_type = {AclResourceType.TOPIC: _CONSUMER, AclResourceType.GROUP: _CONSUMER[:1]}
        _add_role(wanted, patterns, of_type, options)
    if not options.has("producer") and not options.has("consumer"):
        named = options.values("operation") or ["All"]
        operations = [_OPERATIONS.get(name.strip().upper(), AclOperation.UNKNOWN) for name in named]
        wanted = {pattern: _entries(options, operations) for pattern in patterns}
    for pattern, entries in wanted.items():
        supported = (*SUPPORTED_OPERATIONS[AclResourceType(pattern[0])], AclOperation.ALL)
        if not all(entry.operation in supported for entry in entries):
            names = ", ".join(operation.name for operation in supported)
            raise UsageError(
                f"ResourceType {AclResourceType(pattern[0]).name} only supports operations "
                f"[{names}]"
            )
    return wanted


def _add_role(
    wanted: _Wanted,
    patterns: Iterable[_Pattern],
    of_type: Mapping[AclResourceType, Sequence[AclOperation]],
    options: Options,
) -> None:
    for pattern in patterns:
        operations = of_type.get(AclResourceType(pattern.resource_type))
        if operations is not None:
            known = wanted.setdefault(pattern, [])
            known += [entry for entry in _entries(options, operations) if entry not in known]


def _entries(options: Options, operations: Iterable[AclOperation]) -> list[_Entry]:
    entries = []
    for word, permission in (("allow", PermissionType.ALLOW), ("deny", PermissionType.DENY)):
        hosts = [host.strip() for host in options.values(f"{word}-host")] or [WILDCARD]
        entries += [
            _Entry(principal, host, operation, permission)
            for principal in _principals(options, f"{word}-principal")
            for operation in operations
            for host in hosts
        ]
    return list(dict.fromkeys(entries))


def _principals(options: Options, name: str) -> list[str]:
    found = [text.strip() for text in options.values(name)]
    for text in found:
        kind, colon, _ = text.partition(":")
        if not kind or not colon:
            raise ToolError(
                f"expected a string in format principalType:principalName but got {text}"
            )
    return list(dict.fromkeys(found))


def _patterns(options: Options) -> list[_Pattern]:
    pattern_type = _pattern_type(options)
    found = [
        _Pattern(kind, name.strip(), pattern_type)
        for option, kind in _RESOURCES.items()
        for name in options.values(option)
    ]
    names_cluster = options.has("cluster") or options.has("idempotent")
    if names_cluster and pattern_type == PatternType.LITERAL:
        found.append(_CLUSTER)
    return list(dict.fromkeys(found))


def _pattern_type(options: Options) -> PatternType:
    text = options.value("resource-pattern-type") or PatternType.LITERAL.name
    name = text.upper()
    if name not in PatternType.__members__ or name == PatternType.UNKNOWN.name:
        raise ToolError(f"Cannot parse argument '{text}' of option resource-pattern-type")
    return PatternType[name]
