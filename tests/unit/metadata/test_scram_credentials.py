"""SCRAM credentials are found in the metadata of the time of the look-up."""

from minikafka.messages.metadata_records.remove_user_scram_credential_record import (
    RemoveUserScramCredentialRecord,
)
from minikafka.messages.metadata_records.user_scram_credential_record import (
    UserScramCredentialRecord,
)
from minikafka.metadata.loader import MetadataLoader
from minikafka.metadata.scram_credentials import credential_finder, credentials
from minikafka.security.scram import ScramCredential, ScramMechanism


def test_a_credential_is_found_until_it_is_removed():
    loader = MetadataLoader()
    find = credential_finder(lambda: loader.image)
    assert find(ScramMechanism.SCRAM_SHA_256, "a") is None
    record = UserScramCredentialRecord("a", 1, b"salt", b"stored", b"server", 4096)
    loader.load_batch([(0, record)], last_offset=0, epoch=1)
    expected = ScramCredential(b"salt", b"stored", b"server", 4096)
    assert find(ScramMechanism.SCRAM_SHA_256, "a") == expected
    assert find(ScramMechanism.SCRAM_SHA_512, "a") is None
    assert list(credentials(loader.image)) == [("a", 1, 4096)]
    loader.load_batch([(1, RemoveUserScramCredentialRecord("a", 1))], last_offset=1, epoch=1)
    assert find(ScramMechanism.SCRAM_SHA_256, "a") is None
