"""The guard of a verification."""

from minikafka.log.producers.verification import VerificationGuard


def test_lowest_sequence_of_the_epoch_is_kept():
    guard = VerificationGuard(3, 10, bumps_epochs=True)
    guard.cover(3, 12)
    assert guard.lowest_sequence == 10
    guard.cover(3, 7)
    assert guard.lowest_sequence == 7


def test_a_newer_epoch_replaces_the_sequence_and_an_older_one_is_ignored():
    guard = VerificationGuard(3, 7, bumps_epochs=True)
    guard.cover(4, 9)
    assert (guard.producer_epoch, guard.lowest_sequence) == (4, 9)
    guard.cover(3, 1)
    assert (guard.producer_epoch, guard.lowest_sequence) == (4, 9)
