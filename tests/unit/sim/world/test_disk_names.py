"""The names of a simulated disk, compared with plain dictionaries of paths."""

from random import Random

import pytest

from minikafka.sim.world.disk_names import NameJournal, NameTable, moved, parent


def test_a_folder_lists_its_direct_entries():
    names = NameTable()
    names.make("a")
    names.put("a/x", 1)
    names.put("a/b/y", 2)
    assert names.inside("") == ["a"]
    assert names.inside("a") == ["a/x"]
    assert list(names.below("a")) == ["a", "a/x", "a/b", "a/b/y"]


def test_a_removal_leaves_no_entries():
    names = NameTable()
    names.make("a")
    names.put("a/b/x", 1)
    assert names.drop_file("a/b/x") == 1
    assert names.drop_file("a/b/x") is None
    names.drop_folder("a")
    assert "a" not in names
    assert list(names.below("")) == [""]


@pytest.mark.parametrize("seed", range(200))
def test_names_after_any_operations(seed):
    rng = Random(seed)
    names: NameTable[int] = NameTable()
    files: dict[str, int] = {}
    folders = {"": None}
    for number in range(40):
        path = "/".join(rng.choice("xyz") for _ in range(rng.randint(1, 3)))
        match rng.randrange(5):
            case 0:
                names.put(path, number)
                files[path] = number
            case 1:
                names.make(path)
                folders[path] = None
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
    journal: NameJournal[int] = NameJournal()
    changes = [("a", (("a/x", 1),)), ("", (("a/", 0),)), ("a", (("a/x", None), ("a/y", 1)))]
    for change in changes:
        journal.add(change)
    assert journal.take("a") == [changes[0], changes[2]]
    assert journal.take("a") == []
    assert len(journal) == 1
    assert journal.take_all() == [changes[1]]


def test_a_renamed_folder_takes_its_changes_along():
    journal: NameJournal[int] = NameJournal()
    for change in (
        ("", (("a/", 0),)),
        ("a", (("a/x", 1),)),
        ("", (("ab", 2),)),
        ("b", (("b/x", 3),)),
    ):
        journal.add(change)
    journal.rename("a", "c")
    assert journal.take_all() == [
        ("", (("c/", 0),)),
        ("c", (("c/x", 1),)),
        ("", (("ab", 2),)),
        ("b", (("b/x", 3),)),
    ]
