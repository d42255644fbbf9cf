"""List groups of all types (Kafka: `GroupsCommand`)."""

from minikafka.admin.client import AdminClient
from minikafka.admin.groups import CONSUMER, CONSUMER_PROTOCOL, GroupListing, list_all_groups
from minikafka.commands.java_order import hash_map_order
from minikafka.commands.options import Options

_TIMEOUT_S = 30.0
TYPES = ("Classic", "Consumer", "Share", "Streams")


def print_groups(options: Options, client: AdminClient) -> None:
    """Print the groups that the options select.

    Raises:
        AdminError: a broker rejects the request, or does not answer.
    """
    with client.limited(_TIMEOUT_S):
        listed = {it.group_id: it for it in list_all_groups(client)}
    shown = [listed[name] for name in hash_map_order(listed) if _is_selected(options, listed[name])]
    rows = [(it.group_id, it.type, it.protocol) for it in shown]
    width = max((20, *(len(cell) for row in rows for cell in row)))
    print(" ".join(f"{title:<{width}}" for title in ("GROUP", "TYPE", "PROTOCOL")))
    for row in rows:
        print("".join(f"{cell:<{width}} " for cell in row))


def group_type(text: str | None) -> str | None:
    """Return the type of this name, in any case; None if there is none."""
    return next((it for it in TYPES if text is not None and it.lower() == text.lower()), None)


def _is_selected(options: Options, group: GroupListing) -> bool:
    protocol = options.value("protocol")
    if options.has("group-type"):
        is_type = group.type == group_type(options.value("group-type"))
        return is_type and protocol in (None, group.protocol)
    if protocol is not None:
        return group.protocol == protocol
    if options.has("consumer"):
        return group.protocol in ("", CONSUMER_PROTOCOL) or group.type == CONSUMER
    for name in ("share", "streams"):
        if options.has(name):
            return group.type == name.capitalize()
    return True


def print_failure(text: str) -> None:
    """Print why the tool failed."""
    print(f"Error while executing groups command : {text}")
