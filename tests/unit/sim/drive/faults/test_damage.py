"""Damage changes synced data of one replica, and can be undone."""

from random import Random

import pytest

from minikafka.common.ids import TopicPartition
from minikafka.log.checkpoints import (
    CLEAN_SHUTDOWN,
    LOG_START_OFFSETS,
    META_PROPERTIES,
    RECOVERY_POINTS,
    encode_clean_shutdown,
    read_clean_shutdown,
    read_offsets,
    write_clean_shutdown,
    write_offsets,
)
from minikafka.log.disk import write_file
from minikafka.records.builder import NewRecord, build_batch
from minikafka.sim.drive.faults.damage import Damage, Damager, OldContent, Patch
from minikafka.sim.drive.faults.faults import Faults
from minikafka.sim.drive.faults.rot import batches
from minikafka.sim.drive.incidents import DAMAGE, Fault, Incident
from minikafka.sim.world.sim_disk import SimDisk
from tests.worlds.sim_world import create_topic, leader_client, produce, started_cluster


@pytest.fixture(scope="module")
def stopped():
    """A cluster whose broker 1 has stopped in order; it has records of two partitions."""
    cluster = started_cluster(3, separate_controller=True)
    create_topic(cluster, "t", replicas=[[1, 2], [1, 3]])
    for partition in (0, 1):
        for number in range(20):
            value = b"value %d" % number
            answer = produce(
                leader_client(cluster, "t", partition), "t", value, partition=partition
            )
            assert answer.error_code == 0
    node = cluster.nodes[1]
    node.shut_down()
    cluster.world.run_until(lambda: not node.alive, 60_000, "it stops")
    return node


def contents(disk):
    names = [*disk.list(""), *(f"{x}/{name}" for x in ("t-0", "t-1") for name in disk.list(x))]
    return {name: bytes(disk.content(name)) for name in names if disk.durable_bytes(name)}


def damager(node, seed, may_damage=lambda _: True):
    return Damager(1, node.disks, node.closed_directories, may_damage, Random(seed))


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("how", [Damager.flip, Damager.lose_write, Damager.misdirect])
def test_damage_is_there_until_it_is_undone(stopped, how, seed):
    (disk,) = stopped.disks.values()
    before = contents(disk)
    damage = how(damager(stopped, seed))
    if damage is None:
        assert contents(disk) == before
        return
    after = contents(disk)
    changed = [name for name in after if after[name] != before.get(name)]
    if damage.patches:
        assert damage.is_there
        assert {patch.path for patch in damage.patches} >= set(changed) != set()
        assert {str(x) for x in damage.replicas} == {
            x.path.partition("/")[0] for x in damage.patches if x.path.endswith(".log")
        }
        damage.undo()
        assert not damage.is_there
        assert contents(disk) == before
    else:
        assert all(name.endswith(("checkpoint", CLEAN_SHUTDOWN)) for name in changed)
        for name in changed:
            disk.content(name)[:] = before.get(name, b"")
            if name not in before:
                disk.remove(name)


def test_old_recovery_points_are_damage_until_they_are_replaced():
    """Seed 40000049: a log that was truncated since then seems to lack its end."""
    disk = SimDisk()
    for point in (57, 42):
        write_offsets(disk, RECOVERY_POINTS, {TopicPartition("t", 0): point}, sync=True)
    damager = Damager(1, {"": disk}, [disk.root], lambda _: True, Random(1))
    damage = None
    while damage is None:
        damage = damager.lose_write()
    assert damage.is_there
    assert read_offsets(disk, RECOVERY_POINTS) == {TopicPartition("t", 0): 57}
    damage.undo()
    assert not damage.is_there
    assert read_offsets(disk, RECOVERY_POINTS) == {TopicPartition("t", 0): 42}


@pytest.mark.parametrize(
    "damage",
    [
        lambda disk: OldContent(disk, RECOVERY_POINTS, bytes(disk.content(RECOVERY_POINTS))),
        lambda disk: Patch(disk, RECOVERY_POINTS, len("0\n1\nt 0 "), b"42", b"41"),
        lambda disk: Patch(disk, LOG_START_OFFSETS, len("0\n1\nt 0 "), b"7", b"6"),
    ],
)
def test_a_checkpoint_that_a_process_has_loaded_is_not_restored(damage):
    """Seed 70004197: it had recovery points of a log that was truncated since."""
    disk = SimDisk()
    for point in (40, 42):
        write_offsets(disk, RECOVERY_POINTS, {TopicPartition("t", 0): point}, sync=True)
    write_offsets(disk, LOG_START_OFFSETS, {TopicPartition("t", 0): 7}, sync=True)
    found = damage(disk)
    content = bytes(disk.content(found.path))
    assert (found.is_there, found.may_come_back) == (True, True)
    disk.loads += 1
    assert (found.is_there, found.may_come_back) == (False, False)
    found.undo()
    assert bytes(disk.content(found.path)) == content


@pytest.mark.parametrize("path", ["t-0/0.log", META_PROPERTIES])
def test_other_files_are_restored_after_they_were_loaded(path):
    disk = SimDisk()
    disk.make_dir("t-0")
    write_file(disk, path, b"sound", sync=True)
    patch = Patch(disk, path, 0, b"s", b"f")
    disk.loads += 1
    assert (patch.is_there, patch.may_come_back) == (True, True)
    patch.undo()
    assert bytes(disk.content(path)) == b"sound"


@pytest.mark.parametrize("last", [b"a", b"z"])
def test_a_byte_that_is_damaged_again_is_restored_as_it_was_first(last):
    """Seed 99600042: a bit that was flipped twice was sound, until its repair flipped it again."""
    disk = SimDisk()
    write_file(disk, META_PROPERTIES, b"-a-", sync=True)
    damages = []
    for before, after in ((b"a", b"x"), (b"x", b"y"), (b"y", last)):
        damage = Damage(1, "a byte", [Patch(disk, META_PROPERTIES, 1, before, after)])
        damage.continue_from(damages)
        damages.append(damage)
    assert [each.is_there for each in damages] == [False, False, last == b"z"]
    for each in damages:
        each.undo()
    assert bytes(disk.content(META_PROPERTIES)) == b"-a-"


def test_a_process_that_cannot_load_its_logs_does_not_count():
    """The operator restores the file that its error names."""
    cluster = started_cluster(3, separate_controller=True)
    create_topic(cluster, "t", replicas=[[1, 2, 3]])
    assert produce(leader_client(cluster, "t"), "t", b"some value").error_code == 0
    node = cluster.nodes[1]
    (disk,) = node.disks.values()
    assert disk.loads == 1
    node.shut_down()
    cluster.world.run_until(lambda: not node.alive, 60_000, "it stops")
    sound = read_offsets(disk, RECOVERY_POINTS)
    write_offsets(disk, RECOVERY_POINTS, {TopicPartition("t", 0): 1_000}, sync=True)
    node.start()
    assert (node.alive, disk.loads) == (False, 1)
    write_offsets(disk, RECOVERY_POINTS, sound, sync=True)
    node.start()
    assert (node.alive, disk.loads) == (True, 2)


def test_a_log_is_damaged_under_any_name_of_its_folder():
    disk = SimDisk()
    disk.make_dir("t-0")
    write_file(disk, "t-0/0.log", b"sound", sync=True)
    damage = Damage(1, "a letter", [Patch(disk, "t-0/0.log", 0, b"s", b"f")])
    assert damage.is_in_log(disk.root, "t-0")
    disk.rename("t-0", "t-0.1-delete")
    assert damage.is_in_log(disk.root, "t-0")
    assert not damage.is_in_log(disk.root, "t-1")
    assert not damage.is_in_log("/other", "t-0")
    disk.content("t-0.1-delete/0.log")[:1] = b"s"
    assert not damage.is_in_log(disk.root, "t-0")


@pytest.mark.parametrize(("point", "comes_back"), [(1, True), (2, False)])
def test_a_clean_shutdown_file_does_not_come_back_beside_a_log_that_started_over(point, comes_back):
    """Seeds 84000187 and 84000206: the node refused the log, and the disk was sound."""
    disk = SimDisk()
    disk.make_dir("t-0")
    batch = build_batch([NewRecord(0, None, b"x")])
    write_file(disk, "t-0/00000000000000000000.log", bytes(batch), sync=True)
    points = {TopicPartition("t", 0): point, TopicPartition("gone", 0): 9}
    write_offsets(disk, RECOVERY_POINTS, points, sync=True)
    write_clean_shutdown(disk, 7)
    disk.remove(CLEAN_SHUTDOWN)
    assert came_back(disk, registered_epoch=8) == comes_back


@pytest.mark.parametrize(("registered", "comes_back"), [(7, False), (8, True)])
@pytest.mark.parametrize("key", [b'"version"', b'"vErsion"'])
def test_a_clean_shutdown_file_does_not_come_back_before_a_registration(
    registered, comes_back, key
):
    """Seed 84000636: a bit of the file was flipped, and it named the epoch all the same."""
    disk = SimDisk()
    content = encode_clean_shutdown(7).replace(b'"version"', key)
    write_file(disk, CLEAN_SHUTDOWN, content, sync=True)
    disk.remove(CLEAN_SHUTDOWN)
    assert came_back(disk, registered_epoch=registered) == comes_back


def came_back(disk, registered_epoch):
    for seed in range(20):
        damager = Damager(
            1, {"": disk}, (), lambda _: False, Random(seed), registered_epoch=registered_epoch
        )
        damager.lose_write()
    return disk.exists(CLEAN_SHUTDOWN)


def cut_away():
    """A damaged file that was truncated after that, which is not durable yet."""
    disk = SimDisk()
    disk.make_dir("t-0")
    write_file(disk, "t-0/0.log", b"sound", sync=True)
    disk.sync_names()
    damage = Damage(1, "a letter", [Patch(disk, "t-0/0.log", 0, b"s", b"f")])
    file = disk.open("t-0/0.log")
    file.truncate(0)
    return disk, file, damage


def test_damage_that_is_cut_away_may_come_back_until_that_is_durable():
    """Seed 44000056."""
    _, file, damage = cut_away()
    assert (damage.is_there, damage.may_come_back) == (False, True)
    file.sync()
    assert not damage.may_come_back


def test_bytes_that_are_written_again_like_damage_are_sound():
    """Seed 180001110: after a truncation another record had the damaged byte, and lost it."""
    disk, file, damage = cut_away()
    file.append(b"found")
    assert (damage.is_there, damage.may_come_back) == (False, True)
    file.sync()
    assert (damage.is_there, damage.may_come_back) == (False, False)
    damage.undo()
    assert bytes(disk.content("t-0/0.log")) == b"found"


def test_a_power_loss_may_bring_damage_back_that_was_cut_away():
    came_back = []
    for seed in range(10):
        disk, _, damage = cut_away()
        disk.lose_power(Random(seed))
        assert damage.is_there == damage.may_come_back
        came_back.append(damage.is_there)
    assert set(came_back) == {True, False}


def test_a_replica_without_a_copy_is_left_alone(stopped):
    (disk,) = stopped.disks.values()
    before = contents(disk)
    for seed in range(30):
        damage = damager(stopped, seed, lambda where: where.partition == 1).flip()
        assert not any(patch.path.startswith("t-0/") for patch in damage.patches)
        damage.undo()
    assert contents(disk) == before


@pytest.mark.parametrize("what", DAMAGE)
def test_a_damaged_node_comes_back_and_is_repaired_with_all_others(what):
    cluster = started_cluster(3, separate_controller=True)
    create_topic(cluster, "t", replicas=[[1, 2, 3]])
    for _ in range(20):
        assert produce(leader_client(cluster, "t"), "t", b"some value").error_code == 0
    faults = Faults(cluster, (), lambda _: None)
    for at_ms in range(4):
        incident = Incident(at_ms=at_ms, what=what, node=2, for_ms=200)
        faults.inject(incident)
        cluster.world.run(1_000)
        cluster.world.run_until(cluster.all_started, 60_000, "all serve")
    assert faults.effects.counts[what.value]
    faults.repair_all()
    assert not faults.storage.is_rotten(2)


def test_a_bit_that_is_flipped_twice_is_sound(monkeypatch):
    cluster = started_cluster(2, separate_controller=True)
    (disk,) = cluster.nodes[2].disks.values()
    sound = bytes(disk.content(META_PROPERTIES))

    def flip(_):
        before = bytes(disk.content(META_PROPERTIES)[:1])
        patch = Patch(disk, META_PROPERTIES, 0, before, bytes([before[0] ^ 128]))
        return Damage(2, "a bit", [patch])

    monkeypatch.setattr(Damager, "flip", flip)
    faults = Faults(cluster, (), lambda _: None)
    for at_ms in range(2):
        faults.inject(Incident(at_ms=at_ms, what=Fault.DATA_ROT, node=2, for_ms=20_000))
        cluster.world.run(10_000)
        assert faults.storage.is_rotten(2) is (at_ms == 0)
    faults.storage.repair(cluster.nodes[2])
    assert bytes(disk.content(META_PROPERTIES)) == sound


def test_a_damaged_checkpoint_that_comes_back_after_a_lost_write_is_sound():
    """Seed 140000046: the repair of the lost write brought the damage back, unknown to all."""
    disk = SimDisk()
    for point in (57, 42):
        write_offsets(disk, RECOVERY_POINTS, {TopicPartition("t", 0): point}, sync=True)
    at = len("0\n1\nt 0 ")
    flip = Damage(1, "a bit", [Patch(disk, RECOVERY_POINTS, at, b"4", b"6")])
    assert read_offsets(disk, RECOVERY_POINTS) == {TopicPartition("t", 0): 62}
    old = OldContent(disk, RECOVERY_POINTS, bytes(disk.content(RECOVERY_POINTS)))
    lost = Damage(1, "a lost write", [old])
    lost.continue_from([flip])
    assert read_offsets(disk, RECOVERY_POINTS) == {TopicPartition("t", 0): 57}
    for each in (flip, lost):
        each.undo()
    assert read_offsets(disk, RECOVERY_POINTS) == {TopicPartition("t", 0): 42}


def test_damage_leaves_one_sound_copy():
    cluster = started_cluster(2, separate_controller=True)
    create_topic(cluster, "t", replicas=[[1, 2]])
    for _ in range(20):
        assert produce(leader_client(cluster, "t"), "t", b"some value").error_code == 0
    faults = Faults(cluster, (), lambda _: None)
    for at_ms in range(20):
        for node_id in (1, 2):
            what = DAMAGE[at_ms % 3]
            faults.inject(Incident(at_ms=at_ms, what=what, node=node_id, for_ms=200))
            cluster.world.run(1_000)
            cluster.world.run_until(cluster.all_started, 60_000, "all serve")
            cluster.world.run(3_000)
            damaged = [x for x in (1, 2) if faults.storage.is_damaged(x, ("t", 0))]
            assert len(damaged) < 2
    assert faults.effects.counts[Fault.DATA_ROT.value]


def test_recovery_points_are_not_damaged_beside_damaged_records():
    """Seed 60000289: a start could not tell the damage from a torn tail."""
    disk = SimDisk()
    for point in (57, 42):
        write_offsets(disk, RECOVERY_POINTS, {TopicPartition("t", 0): point}, sync=True)
    for seed in range(20):
        damager = Damager(1, {"": disk}, [disk.root], lambda _: True, Random(seed), True)
        assert damager.flip() is None
        assert damager.lose_write() is None


def test_recovery_points_of_a_directory_that_was_not_closed_are_left_alone():
    """Seed 72000027: the old ones were those of a log that was removed since."""
    disks = {root: SimDisk(root) for root in ("closed", "failed")}
    for disk in disks.values():
        for point in (57, 42):
            write_offsets(disk, RECOVERY_POINTS, {TopicPartition("t", 0): point}, sync=True)
    changed = {}
    for seed in range(40):
        found = Damager(1, disks, ["closed"], lambda _: True, Random(seed)).lose_write()
        if found is not None:
            changed.update({patch.disk.root: None for patch in found.patches})
            found.undo()
    assert list(changed) == ["closed"]
    for seed in range(40):
        found = Damager(1, disks, ["closed"], lambda _: True, Random(seed)).flip()
        (patch,) = found.patches
        is_ascii = patch.after[0] < 128
        assert patch.disk.root == "closed" or not is_ascii
        found.undo()


@pytest.mark.parametrize(("closed", "comes_back"), [([], False), (["disk"], True)])
def test_an_old_clean_shutdown_file_may_come_back_in_a_closed_directory(closed, comes_back):
    disk = SimDisk("disk")
    write_clean_shutdown(disk, 7)
    disk.remove(CLEAN_SHUTDOWN)
    write_clean_shutdown(disk, 8)
    disk.sync_dir("")
    for seed in range(20):
        Damager(
            1, {"": disk}, closed, lambda _: True, Random(seed), registered_epoch=7
        ).lose_write()
    assert (read_clean_shutdown(disk) == 7) is comes_back


def test_records_are_not_damaged_beside_damaged_recovery_points():
    cluster = started_cluster(3, separate_controller=True)
    create_topic(cluster, "t", replicas=[[1, 2, 3]])
    faults = Faults(cluster, (), lambda _: None)
    storage, node = faults.storage, cluster.nodes[1]
    (disk,) = node.disks.values()
    node.shut_down()
    cluster.world.run_until(lambda: not node.alive, 60_000, "it stops")
    assert not storage._is_touched(node, TopicPartition("t", 0))
    patch = Patch(disk, RECOVERY_POINTS, 0, b"0", b"1")
    storage._damages.append(Damage(1, "", [patch]))
    assert storage._is_touched(node, TopicPartition("t", 0))
    assert not storage._is_touched(cluster.nodes[2], TopicPartition("t", 0))
    patch.undo()
    assert not storage._is_touched(node, TopicPartition("t", 0))


@pytest.mark.parametrize(("registered", "comes_back"), [(7, False), (8, True), (None, False)])
def test_a_clean_shutdown_file_comes_back_once_the_broker_has_registered_again(
    registered, comes_back
):
    """Seed 60000317: until then the file is true, since no log has changed."""
    disk = SimDisk()
    write_clean_shutdown(disk, 7)
    disk.remove(CLEAN_SHUTDOWN)
    disk.sync_dir("")
    for seed in range(20):
        Damager(
            1, {"": disk}, [], lambda _: True, Random(seed), registered_epoch=registered
        ).lose_write()
    assert disk.exists(CLEAN_SHUTDOWN) is comes_back


@pytest.mark.parametrize(
    ("at", "size", "is_done"), [(0, 16, False), (1, 16, False), (0, 18, True), (2, 16, True)]
)
def test_first_bytes_that_no_checksum_covers_take_the_place_of_no_others(
    stopped, monkeypatch, at, size, is_done
):
    """Seed 94000277: a start took a batch with the base offset of another one, which came later."""
    (disk,) = stopped.disks.values()
    (path,) = (f"t-0/{name}" for name in disk.list("t-0") if name.endswith(".log"))
    starts = [position for position, _ in batches(disk, path)]
    places = [(path, starts[4] + at, size), (path, starts[1] + at, size)]
    before = contents(disk)
    monkeypatch.setattr(Damager, "_place", lambda *_: places.pop())
    damage = damager(stopped, 1).misdirect()
    assert (damage is not None) == is_done
    if damage is not None:
        damage.undo()
    assert contents(disk) == before
