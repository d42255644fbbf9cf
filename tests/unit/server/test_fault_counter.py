"""Several nodes that count together, in a file."""

import multiprocessing

import pytest

from minikafka.faults.matching import ActiveFault, NodeCounter
from minikafka.faults.vocabulary import AnswerFault, FaultError
from minikafka.metadata.image import MetadataImage
from minikafka.server.fault_counter import counter_of, counts


def active(path, **given):
    fault = AnswerFault(api="Fetch", kind="drop", counter_file=str(path), **given)
    return ActiveFault(fault, MetadataImage(), counter_of(fault))


def test_times_and_nth_are_of_all_nodes(tmp_path):
    nodes = [active(tmp_path / "c", nth=3, times=2) for _ in range(3)]
    fired = [node.fires() for _ in range(2) for node in nodes]
    assert fired == [False, False, True, True, False, False]
    assert [node.hits for node in nodes] == [1, 0, 1]
    assert counts(tmp_path / "c") == (6, 2)


def test_a_probability_is_that_of_one_node(tmp_path):
    alone = ActiveFault(AnswerFault(api="Fetch", kind="drop", probability=0.5), MetadataImage())
    nodes = [active(tmp_path / "c", probability=0.5) for _ in range(2)]
    assert [alone.fires() for _ in range(40)] == [nodes[x % 2].fires() for x in range(40)]


def _fire(path):
    node = active(path, times=50)
    return sum(node.fires() for _ in range(100))


def test_processes_do_not_count_a_hit_twice(tmp_path):
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        hits = pool.map(_fire, [tmp_path / "c"] * 3)
    assert sum(hits) == 50
    assert counts(tmp_path / "c") == (300, 50)


def test_a_file_that_cannot_be_used_is_refused(tmp_path):
    for path, why in (("c", "not an absolute path"), (tmp_path / "none" / "c", "No such file")):
        with pytest.raises(FaultError, match=why):
            active(path)
    (tmp_path / "d").mkdir()
    with pytest.raises(FaultError, match="Is a directory"):
        active(tmp_path / "d")


def test_without_a_file_each_node_counts_for_itself():
    assert type(counter_of(AnswerFault(api="Fetch", kind="drop"))) is NodeCounter


def test_another_file_is_not_overwritten(tmp_path):
    for text in ("something else\n", "1 2 3\n", "x"):
        (tmp_path / "c").write_text(text)
        with pytest.raises(FaultError, match="the file is no counter"):
            active(tmp_path / "c")
        assert (tmp_path / "c").read_text() == text


def test_without_its_file_a_fault_hits_nothing(tmp_path):
    node = active(tmp_path / "c")
    assert node.fires()
    (tmp_path / "c").unlink()
    assert not node.fires()
    assert not (tmp_path / "c").exists()
