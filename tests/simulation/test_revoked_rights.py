"""A right that is taken away counts on a broker as soon as it has the metadata that says so."""

from random import Random

import pytest

from minikafka.messages.create_acls import AclCreation, CreateAclsRequest, CreateAclsResponse
from minikafka.messages.delete_acls import (
    DeleteAclsFilter,
    DeleteAclsRequest,
    DeleteAclsResponse,
)
from minikafka.metadata.carried import ACCESS_CONTROL_ENTRY, records_of
from minikafka.security.acl import AclOperation, AclResourceType, acl_of
from minikafka.security.authorizer import Authorizer
from tests.worlds.authorized_cluster import ALLOW, DENY, GIVEN, MALLORY
from tests.worlds.sim_world import started_cluster

CHANGES = 25
NAMES = ("orders", "payments")


def changed(cluster, rng):
    """Create or remove an entry about mallory."""
    client = cluster.client(name="admin")
    name, operation = rng.choice(NAMES), rng.choice((AclOperation.READ, AclOperation.WRITE))
    permission = rng.choice((ALLOW, DENY))
    if rng.randrange(3):
        entry = AclCreation(2, name, 3, str(MALLORY), "*", operation, permission)
        answer = client.ask(CreateAclsRequest([entry]), CreateAclsResponse)
        assert answer.results[0].error_code == 0
    else:
        row = DeleteAclsFilter(2, name, 1, str(MALLORY), "*", 1, 1)
        answer = client.ask(DeleteAclsRequest([row]), DeleteAclsResponse)
        assert answer.filter_results[0].error_code == 0


class Watch:
    """Compares, after each event, what nodes decide with the metadata that they have."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.checks = 0
        self.seen = set()

    def __call__(self):
        for each in self.cluster.nodes.values():
            node = each.node
            if node is None or node.authorizer is None or not node.authorizer.is_ready:
                continue
            image = node.loader.image
            key = (each.config.node_id, image.offset)
            if key in self.seen or image.offset + 1 < node.raft.high_watermark:
                continue
            self.seen.add(key)
            model = Authorizer(super_users=frozenset(), allows_without_acls=False)
            model.replace(map(acl_of, records_of(image.carried, ACCESS_CONTROL_ENTRY)))
            for name in NAMES:
                for operation in (AclOperation.READ, AclOperation.WRITE, AclOperation.DESCRIBE):
                    asked = (MALLORY, "h", operation, AclResourceType.TOPIC, name)
                    assert node.authorizer.decide(*asked).allowed == model.decide(*asked).allowed
                    self.checks += 1
        return False


@pytest.mark.parametrize("seed", range(4))
def test_every_node_decides_by_the_metadata_that_it_has(seed):
    rng = Random(seed)
    cluster = started_cluster(3, separate_controller=True, given=GIVEN)
    watch = Watch(cluster)
    for number in range(CHANGES):
        changed(cluster, rng)
        if number % 6 == 5:
            broker = cluster.nodes[rng.choice((1, 2, 3))]
            broker.kill()
            broker.start()
        deadline_ms = cluster.world.now_ms + 1_500
        cluster.world.run_until(
            lambda at=deadline_ms: watch() or cluster.world.now_ms >= at, 10_000, "a pause"
        )
    assert watch.checks > 3 * CHANGES
    cluster.world.run_until(
        lambda: len({each.node.loader.image.offset for each in cluster.nodes.values()}) == 1,
        10_000, "metadata",
    )  # fmt: skip
    watch()
