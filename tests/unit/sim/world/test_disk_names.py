"""The names of a simulated disk, compared with plain dictionaries of paths."""

from random import Random

import pytest

from minikafka.sim.world.disk_names import (
    Change,
    Folder,
    NameJournal,
    NameTable,
    moved,
    parent,
)


def test_a_folder_lists_its_direct_entries():
    names = NameTable(Folder())
    names.make("a", Folder())
    names.put("a/x", 1)
    names.put("a/b/y", 2)
    assert names.inside("") == ["a"]
    assert names.inside("a") == ["a/x"]
    assert list(names.below("a")) == ["a", "a/x", "a/b", "a/b/y"]


def test_a_removal_leaves_no_entries():
    names = NameTable(Folder())
    names.make("a", Folder())
    names.put("a/b/x", 1)
    assert names.drop_file("a/b/x") == 1
    assert names.drop_file("a/b/x") is None
    names.drop_folder("a")
    assert "a" not in names
    assert list(names.below("")) == [""]


@pytest.mark.parametrize("seed", range(200))
def test_names_after_any_operations(seed):
    rng = Random(seed)
    root: Folder[int] = Folder()
    names = NameTable(root)
    files: dict[str, int] = {}
    folders = {"": root}
    for number in range(40):
        path = "/".join(rng.choice("xyz") for _ in range(rng.randint(1, 3)))
        match rng.randrange(5):
            case 0:
                names.put(path, number)
                files[path] = number
            case 1:
                folders[path] = Folder()
                names.make(path, folders[path])
            case 2:
                assert names.drop_file(path) == files.pop(path, None)
            case 3:
                names.drop_folder(path)
                folders.pop(path, None)
            case _:
                names.move(path, "w")
                inside = path + "/"
                for old in [at for at in files if at.startswith(inside)]:
                    files[moved(old, path, "w")] = files.pop(old)
                for old in [at for at in folders if at == path or at.startswith(inside)]:
                    folders[moved(old, path, "w")] = folders.pop(old)
        assert (names.files, names.folders) == (files, folders)
        for folder in ("", "x", "x/y", "w"):
            present = [at for at in {**files, **folders} if at and parent(at) == folder]
            assert sorted(names.inside(folder)) == sorted(present)


def test_changes_are_taken_by_folder_in_their_order():
    root: Folder[int] = Folder()
    a: Folder[int] = Folder()
    journal: NameJournal[int] = NameJournal()
    changes = [
        Change(a, ((a, "x", 1),)),
        Change(root, ((root, "a", a),)),
        Change(a, ((a, "x", None), (a, "y", 1))),
    ]
    for change in changes:
        journal.add(change)
    assert journal.take(a) == [changes[0], changes[2]]
    assert journal.take(a) == []
    assert len(journal) == 1
    journal.add(changes[0])
    assert journal.take_all() == [changes[1], changes[0]]
    assert (len(journal), journal.take(a), journal.take_all()) == (0, [], [])


def test_a_folder_keeps_its_durable_names_when_it_is_renamed():
    root: Folder[int] = Folder()
    a: Folder[int] = Folder()
    Change(root, ((root, "a", a),)).make_durable()
    Change(a, ((a, "x", 1),)).make_durable()
    assert root.table().files == {"a/x": 1}
    Change(root, ((root, "a", None), (root, "b", a))).make_durable()
    names = root.table()
    assert (names.files, names.folders) == ({"b/x": 1}, {"": root, "b": a})
    assert (root.find("b/x"), root.find("a/x"), root.find("b/x/y")) == (1, None, None)
