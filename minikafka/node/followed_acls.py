"""The ACLs of the metadata, as the authorizer follows them: only what has changed is handed on."""

from minikafka.metadata.carried import ACCESS_CONTROL_ENTRY, Carried, records_of
from minikafka.security.acl import Acl, acl_of
from minikafka.security.authorizer import Authorizer


def follow_acls(authorizer: Authorizer, before: Carried | None, after: Carried) -> bool:
    """Let an authorizer that decides by `before` decide by `after`; return True if ACLs differ.

    `before` is None if it does not know any ACLs yet.
    """
    if before is None:
        authorizer.replace(map(acl_of, records_of(after, ACCESS_CONTROL_ENTRY)))
        return True
    removed, added = _missing_in(after, before), _missing_in(before, after)
    if removed or added:
        authorizer.change(removed, added)
    return bool(removed or added)


def _missing_in(one: Carried, other: Carried) -> list[Acl]:
    """Return the ACLs of `other` that are not in `one`."""
    return [
        acl_of(record)
        for key, record in other.items()
        # Unchanged records are the same objects; an ACL has an id, and is never changed.
        if one.get(key) is not record and key.record_type == ACCESS_CONTROL_ENTRY
    ]
