"""The quorum replica of a node, made from its configuration and its metadata log directory."""

import logging
from random import Random

from minikafka.common.environment import Environment
from minikafka.config import broker as keys
from minikafka.config.node_config import NodeConfig
from minikafka.log.config import LogConfig
from minikafka.log.directories.log_directory import METADATA_FOLDER, LogDirectory
from minikafka.log.directories.log_manager import LogManager
from minikafka.log.disk import Disk
from minikafka.metadata.broker_registration import Endpoint
from minikafka.metadata.serde import MetadataRecord
from minikafka.raft.metadata_storage import (
    REMEDY,
    check_quorum_state,
    damaged,
    is_unused,
    note_first_start,
    open_metadata_log,
    read_bootstrap,
)
from minikafka.raft.quorum_state import QuorumState
from minikafka.raft.raft_log import RaftLog
from minikafka.raft.raft_node import RaftNode
from minikafka.raft.settings import RaftSettings
from minikafka.raft.voter_history import VoterHistory
from minikafka.raft.voter_set import RaftVoter, VoterSet
from minikafka.rpc.calls import Calls

_log = logging.getLogger("minikafka.node")


def metadata_home(
    disk: Disk, logs: LogManager, cluster_id: str, node_id: int, rng: Random
) -> LogDirectory:
    """Return the directory of the metadata log; outside `log.dirs` it holds nothing else."""
    for home in logs.directories:
        if home.disk is disk and home.is_online:
            return home
    return LogDirectory.open(disk, cluster_id, node_id, rng)


def open_raft(
    env: Environment,
    calls: Calls,
    config: NodeConfig,
    home: LogDirectory,
    endpoints: tuple[Endpoint, ...],
    *,
    cluster_id: str,
    was_used: bool,
) -> RaftNode:
    """Open the metadata log in `home`; `endpoints` are the controller listeners of this node.

    Raises:
        StorageFault: see `open_metadata_log`.
    """
    values = config.values
    log_config = LogConfig(
        segment_bytes=values[keys.METADATA_LOG_SEGMENT_BYTES],
        segment_ms=values[keys.METADATA_LOG_SEGMENT_MS],
        retention_ms=-1,
        retention_bytes=-1,
    )
    if config.is_controller and not was_used:
        note_first_start(home.disk)
    log = open_metadata_log(home.disk, log_config, env.clock.now, env.rng)
    return RaftNode(
        env=env,
        calls=calls,
        cluster_id=cluster_id,
        quorum=QuorumState(
            node_id=config.node_id,
            directory_id=home.directory_id,
            disk=home.disk,
            listener=config.controller_listener_names[0],
            is_controller=config.is_controller,
            history=VoterHistory(_static_voters(config)),
            was_used=was_used,
        ),
        log=RaftLog(log),
        disk=home.disk,
        bootstrap=config.bootstrap_servers,
        endpoints=endpoints if config.is_controller else (),
        is_joining=values[keys.CONTROLLER_QUORUM_AUTO_JOIN_ENABLE],
        settings=RaftSettings.of(values),
    )


def _static_voters(config: NodeConfig) -> VoterSet | None:
    if not config.voters:
        return None
    listener = config.controller_listener_names[0]
    return VoterSet.of(
        RaftVoter(voter.node_id, None, (Endpoint(listener, voter.host, voter.port),))
        for voter in config.voters
    )


def read_first_records(
    raft: RaftNode, config: NodeConfig, sign_of_use: str | None
) -> list[MetadataRecord]:
    """Check the metadata of a controller, and return the first records of a new cluster.

    Call before the logs are loaded: a start that fails here keeps the clean shutdown files.
    `sign_of_use` is the path of what shows that this node was in use.

    Raises:
        StorageFault: a file is damaged; or the only voter has no metadata, but was in use. Among
            several voters it follows the others (`raft/forgotten_votes.py`).
    """
    check_quorum_state(raft.disk)
    bootstrap = read_bootstrap(raft.disk)
    if not is_unused(raft.disk, raft.log.unified_log):
        return bootstrap
    if raft.voters is None:
        _log.warning(
            "%s/%s holds no metadata, not even the voters: waiting for a leader among %s. If "
            "this node is the only controller, no leader will appear: %s; for a new cluster, "
            "format with --standalone",
            raft.disk.root, METADATA_FOLDER,
            ", ".join(f"{host}:{port}" for host, port in config.bootstrap_servers), REMEDY,
        )  # fmt: skip
    elif sign_of_use is not None and raft.quorum.is_only_voter:
        raise damaged(
            raft.disk,
            f"{METADATA_FOLDER} is missing or empty, but {sign_of_use} shows that this node was in "
            "use: it would lead a cluster without topics",
        )
    return bootstrap
