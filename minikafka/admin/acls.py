"""Access control lists of a cluster: describe, create and delete entries."""

from collections.abc import Sequence

from minikafka.admin.client import AdminClient, check
from minikafka.messages.create_acls import AclCreation, CreateAclsRequest
from minikafka.messages.delete_acls import DeleteAclsFilter, DeleteAclsRequest
from minikafka.messages.describe_acls import DescribeAclsRequest
from minikafka.security.acl import Acl, AclFilter


def describe_acls(client: AdminClient, wanted: AclFilter) -> list[Acl]:
    """Return the entries that match a filter, in the order of the response.

    Raises:
        AdminError: the cluster does not answer, has no authorizer, or does not allow it.
    """
    response = client.ask(DescribeAclsRequest(*wanted))
    check(response.error_code, response.error_message)
    return [
        Acl(
            resource.resource_type,
            resource.resource_name,
            resource.pattern_type,
            row.principal,
            row.host,
            row.operation,
            row.permission_type,
        )
        for resource in response.resources
        for row in resource.acls
    ]


def create_acls(client: AdminClient, acls: Sequence[Acl]) -> None:
    """Create entries.

    Raises:
        AdminError: an entry was not created, with the cluster's reason; others may be.
    """
    request = CreateAclsRequest([AclCreation(*acl) for acl in acls])
    response = client.settle(
        lambda: client.ask_active(request),
        lambda it: next((int(row.error_code) for row in it.results if row.error_code), 0),
    )
    for row in response.results:
        check(row.error_code, row.error_message)


def delete_acls(client: AdminClient, filters: Sequence[AclFilter]) -> None:
    """Delete the entries that match any of the filters.

    Raises:
        AdminError: a filter was refused, with the cluster's reason.
    """
    request = DeleteAclsRequest([DeleteAclsFilter(*each) for each in filters])
    response = client.settle(
        lambda: client.ask_active(request),
        lambda it: next((int(row.error_code) for row in it.filter_results if row.error_code), 0),
    )
    for row in response.filter_results:
        check(row.error_code, row.error_message)
