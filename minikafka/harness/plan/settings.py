"""The settings of a run, the paths of its files, and the error that makes it stop early.

A run depends on nothing but its `RunSettings`: the same settings and the same seed draw the same
faults and the same records.
"""

import dataclasses
import re
import shlex
from pathlib import Path

from minikafka.harness.part_process import PartTask
from minikafka.harness.plan.commands import TEMPLATES, command_option, template_problems
from minikafka.harness.plan.engines import LOCAL, SPARK
from minikafka.harness.plan.injections import OF_THE_READER, Injection
from minikafka.harness.plan.workload_options import WorkloadOptions

STREAMS = ("live", "afterwards")
PROFILES = ("smoke", "standard", "harsh", "soak", "elr-demo", "unclean-demo")
ELR = ("on", "off")
CONTROLLERS = ("combined", "separate", "one")
NETWORKS = ("auto", "proxy", "namespaces", "none")
READERS = ("cooperative", "eager", "none")

DEFAULT_MASTER = "local[2,8]"
"""Two slots; eight attempts for each task, since a task of a dead broker fails with a timeout."""


class HarnessError(Exception):
    """The run cannot go on; one sentence says why and what to do. Leads to exit status 2."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """The settings of one run.

    `rate` is in records per second over all producers. If `bootstrap_servers` is empty, the run
    starts a minikafka cluster with `nodes` nodes, or with `kafka_tools` (a folder with the script
    `kafka-cluster`) an Apache Kafka cluster. An external cluster is reached with the properties of
    `command_config` and broken by the commands (templates of `plan.commands`); faults that need an
    empty one are not done. `profile` names the way in which faults are drawn from the seed;
    `schedule` is a file with the faults. `network` is the network between the nodes: "proxy",
    "namespaces", "none", or "auto", which depends on the faults. Producers write to `topics` topics
    with `partitions` partitions each; `topic` names an existing or new topic instead of a generated
    name. `reader` is the rebalance protocol of the second reader's group, or "none". `stream` is
    the time at which Spark reads: "live", while records are written, or "afterwards". `jars` is a
    folder with Spark's Kafka connector. With `elr` "off" the cluster is started without eligible
    leader replicas. At least `min_acknowledged` records must be acknowledged for a verdict.
    `controllers` is the place of the voters: "combined" with brokers 1 to 3, "separate" nodes 101
    to 103, "one" separate node 101, or "" for the default of the profile. `lenient` are the rules
    of `evidence_rules` that are left out. `engine` reads and judges the records: "spark" or
    "local".
    """

    nodes: int = 3
    seconds: float = 30.0
    rate: int = 2000
    seed: int = 0
    partitions: int = 6
    min_isr: int = 2
    out: Path = Path("out/verify")
    bootstrap_servers: str = ""
    command_config: Path | None = None
    base_port: int = 0
    cluster_config: tuple[str, ...] = ()
    kill_command: str = ""
    start_command: str = ""
    stop_command: str = ""
    restart_command: str = ""
    pause_command: str = ""
    resume_command: str = ""
    cut_command: str = ""
    heal_command: str = ""
    master: str = DEFAULT_MASTER
    inject: Injection | None = None
    profile: str = ""
    schedule: Path | None = None
    network: str = "auto"
    kafka_tools: Path | None = None
    topics: int = 1
    topic: str = ""
    reader: str = "cooperative"
    stream: str = "live"
    jars: Path | None = None
    elr: str = "on"
    controllers: str = ""
    min_acknowledged: int = 1_000
    lenient: tuple[str, ...] = ()
    engine: str = SPARK
    workload: WorkloadOptions = dataclasses.field(default_factory=WorkloadOptions)

    @property
    def brokers(self) -> list[int]:
        """The broker ids."""
        return list(range(1, self.nodes + 1))

    @property
    def node_ids(self) -> list[int] | None:
        """The ids of the nodes that the run starts; None for a cluster that it does not start."""
        if self.bootstrap_servers:
            return None
        return [*self.brokers, *(node for node in self.voters if node > self.nodes)]

    @property
    def voters(self) -> list[int]:
        """The controllers of a cluster that the run starts."""
        match self._controllers:
            case "combined":
                return self.brokers[:_VOTERS]
            case "separate":
                return [_CONTROLLER + place for place in range(_VOTERS)]
            case _:
                return [_CONTROLLER]

    @property
    def is_combined(self) -> bool:
        """True if the voters are brokers too."""
        return self._controllers == "combined"

    @property
    def _controllers(self) -> str:
        """The chosen place of the voters, or the default one.

        Two brokers leave in some profiles while the others must go on, so that their voters are
        other nodes. The tools of Apache Kafka start one controller.
        """
        if self.controllers:
            return self.controllers
        if self.kafka_tools or self.nodes < _VOTERS:
            return "one"
        return "separate" if self.profile in _BROKERS_LEAVE else "combined"

    def describe_controllers(self) -> str:
        """Return the number and place of the voters in words."""
        match self._controllers:
            case "combined":
                return f"{_VOTERS} of them controllers"
            case "separate":
                return f"{_VOTERS} controllers"
            case _:
                return "1 controller"

    def problems(self) -> list[str]:
        """Return one sentence for each invalid value; empty if the run can start."""
        found = []
        for name, lowest, highest in (
            ("nodes", 1, 9),
            ("seconds", 1, 86_400),
            ("rate", 1, 200_000),
            ("partitions", 1, 1_000),
            ("topics", 1, 100),
            ("min_isr", 1, 9),
            ("min_acknowledged", 1, 1_000_000_000),
            ("base_port", 0, 65_000),
        ):
            value = getattr(self, name)
            if not lowest <= value <= highest:
                option = "--" + name.replace("_", "-")
                found.append(f"{option} is {value}, but must lie between {lowest} and {highest}.")
        found += template_problems(self.templates())
        if not self.bootstrap_servers:
            only = "can only be used with --bootstrap-server."
            found += [f"{command_option(name)} {only}" for name in self.templates()]
        if self.kafka_tools and self.bootstrap_servers:
            found.append("--kafka-tools cannot be used with --bootstrap-server.")
        if self.profile and self.schedule:
            found.append("--profile cannot be used with --schedule: give one of the two.")
        if self.nodes >= 1 and self.min_isr > self.replication_factor:
            found.append(
                f"--min-isr is {self.min_isr}, but with --nodes {self.nodes} the replication"
                f" factor is only {self.replication_factor}."
            )
        if self.topic and self.topics > 1:
            found.append(f"--topic names one topic, but --topics is {self.topics}.")
        if self.topic and not _TOPIC_NAME.fullmatch(self.topic):
            found.append(f"--topic {self.topic!r} is not a valid topic name.")
        found += self._profile_problems()
        found += self._controller_problems()
        found += self._engine_problems()
        found += self.workload.problems()
        if self.inject in OF_THE_READER and self.reader == "none":
            found.append(f"--inject {self.inject} needs a reader, but --reader is none.")
        found.extend(
            f"--config {item!r} is not of the form key=value."
            for item in self.cluster_config
            if "=" not in item.strip("=")
        )
        return found

    def _profile_problems(self) -> list[str]:
        if self.elr == "off" and self.bootstrap_servers:
            return ["--elr off cannot be used with --bootstrap-server."]
        if self.profile != "harsh":
            return []
        if self.bootstrap_servers:
            return ["--profile harsh cannot be used with --bootstrap-server: it cuts power."]
        if (self.nodes, self.min_isr) != (3, 2):
            return ["--profile harsh needs --nodes 3 and --min-isr 2."]
        return []

    def _controller_problems(self) -> list[str]:
        if not self.controllers:
            return []
        if self.bootstrap_servers:
            return ["--controllers cannot be used with --bootstrap-server."]
        if self.kafka_tools and self.controllers != "one":
            return ["--kafka-tools starts one controller: give --controllers one, or leave it out."]
        if self.is_combined and self.nodes < _VOTERS:
            return [f"--controllers combined needs --nodes {_VOTERS} or more."]
        if self.is_combined and self.profile in _BROKERS_LEAVE:
            away = f"--profile {self.profile} takes two of three brokers away"
            return [f"{away}, so they cannot be the controllers: give --controllers separate."]
        return []

    def _engine_problems(self) -> list[str]:
        if self.engine != LOCAL:
            return []
        of_spark = {"--master": self.master != DEFAULT_MASTER, "--jars": self.jars is not None}
        return [
            f"{option} is Spark's: it cannot be used with --engine {LOCAL}."
            for option, is_given in of_spark.items()
            if is_given
        ]

    def templates(self) -> dict[str, str]:
        """Return the commands for an external cluster that were given, by their names."""
        commands = {name: str(getattr(self, f"{name}_command")) for name in TEMPLATES}
        return {name: command for name, command in commands.items() if command}

    @property
    def replication_factor(self) -> int:
        """The replication factor of the run's topics."""
        return min(3, self.nodes)

    def replay_command(self) -> str:
        """Return the command that repeats this run, without --out."""
        words = ["minikafka", "verify"]
        # A profile has other defaults for the last two.
        always = ("seed", "seconds", "min_isr") if self.profile else ("seed",)
        defaults = RunSettings()
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            is_default = value == getattr(defaults, field.name) and field.name not in always
            if is_default or field.name == "out":
                continue
            if field.name == "workload":
                words += self.workload.words()
                continue
            if field.name == "cluster_config":
                for item in value:
                    words += ["--config", item]
                continue
            if field.name == "lenient":
                words += ["--lenient", ",".join(value)]
                continue
            option = _OPTION_NAMES.get(field.name, "--" + field.name.replace("_", "-"))
            words += [option, f"{value:g}" if isinstance(value, float) else str(value)]
        return shlex.join(words)

    def as_json(self) -> dict[str, object]:
        """Return the settings as plain values."""
        values = dataclasses.asdict(self)
        paths = {
            name: str(values[name]) if values[name] else ""
            for name in ("out", "command_config", "schedule", "kafka_tools", "jars")
        }
        workload = {
            **values["workload"],
            "clients": list(self.workload.clients),
            "client_commands": list(self.workload.client_commands),
        }
        lists = {
            "cluster_config": list(self.cluster_config),
            "lenient": list(self.lenient),
            "workload": workload,
        }
        return {**values, **paths, **lists}

    def topic_config(self) -> dict[str, str]:
        """Return the topic configuration that the workload needs besides min ISR."""
        needed = self.workload.message_max_bytes + _BATCH_OVERHEAD_BYTES
        return {"max.message.bytes": str(needed)} if needed > _MESSAGE_MAX_BYTES else {}

    def topic_names(self, run: str) -> list[str]:
        """Return the names of the topics to which the run with this id writes."""
        if self.topic:
            return [self.topic]
        name = f"verify-{self.seed}-{run}"
        return [name] if self.topics == 1 else [f"{name}-{n}" for n in range(self.topics)]


_VOTERS = 3
_CONTROLLER = 101
"""The first controller that is no broker."""
_BROKERS_LEAVE = ("harsh", "unclean-demo")
_OPTION_NAMES = {"bootstrap_servers": "--bootstrap-server"}
_MESSAGE_MAX_BYTES = 1_048_588
"""Kafka's default of max.message.bytes."""
_BATCH_OVERHEAD_BYTES = 1_024
_TOPIC_NAME = re.compile(r"(?!\.{1,2}$)[A-Za-z0-9._-]{1,249}")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class SparkJob(PartTask):
    """The arguments of the Spark process.

    `instance` numbers the Spark processes of a run, starting at 0. `jars` is a folder with the
    connector, or "". `records` is the greatest number of records that the run may write.
    """

    root: str
    master: str
    seed: int
    inject: Injection | None
    instance: int = 0
    jars: str = ""
    transactions: bool = False
    records: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class RunFiles:
    """The files of one run, all in one folder."""

    root: Path

    @property
    def ledgers(self) -> Path:
        """One msgpack ledger for each producer."""
        return self.root / "ledger"

    @property
    def ledger_table(self) -> Path:
        """The ledgers folded into one row per record, as parquet."""
        return self.root / "ledger.parquet"

    @property
    def streamed(self) -> Path:
        """The records that Structured Streaming read during the faults."""
        return self.root / "streamed.parquet"

    @property
    def checkpoint(self) -> Path:
        """The streaming query's checkpoint."""
        return self.root / "checkpoint"

    @property
    def reread(self) -> Path:
        """The records that a batch read found after everything was healed."""
        return self.root / "reread.parquet"

    @property
    def reread_uncommitted(self) -> Path:
        """The same under read_uncommitted."""
        return self.root / "reread-uncommitted.parquet"

    @property
    def poll_log(self) -> Path:
        """The polls and commits of the consumer group; see `clients.poll_log`."""
        return self.root / "polls.msgpack"

    @property
    def polls(self) -> Path:
        """The same as parquet."""
        return self.root / "polls.parquet"

    @property
    def loops(self) -> Path:
        """One log for each consume-transform-produce loop; see `clients.loop_log`."""
        return self.root / "loops"

    @property
    def loop_outputs(self) -> Path:
        """The results of reading the loops' outputs."""
        return self.loops / "outputs.msgpack"

    @property
    def findings(self) -> Path:
        """One row for each broken promise."""
        return self.root / "findings.parquet"

    @property
    def logs(self) -> Path:
        """Log files of the processes that the run started."""
        return self.root / "logs"

    @property
    def events(self) -> Path:
        """JSON lines: everything that happened, with wall times; the page's time axis."""
        return self.root / "events.jsonl"

    @property
    def spark_events(self) -> Path:
        """JSON lines written by the Spark process: its phases and each batch's progress."""
        return self.root / "spark-events.jsonl"

    @property
    def local_events(self) -> Path:
        """The same of the local engine's process."""
        return self.root / "local-events.jsonl"

    @property
    def schedule(self) -> Path:
        """The faults as drawn from the seed."""
        return self.root / "schedule.json"

    @property
    def verdict(self) -> Path:
        """The verdict; see `verdict_file` for its schema."""
        return self.root / "verdict.json"

    @property
    def report(self) -> Path:
        """The report page."""
        return self.root / "report.html"

    def of_the_verdict(self) -> dict[str, str]:
        """Return the paths that a verdict names, relative to it."""
        names = ("ledgers", "streamed", "reread", "findings", "events", "logs", "report")
        return {name: str(getattr(self, name).relative_to(self.root)) for name in names}

    def prepare(self) -> None:
        """Create the folders.

        Raises:
            HarnessError: if the folder has another run's files or cannot be written.
        """
        try:
            for folder in (self.root, self.ledgers, self.logs):
                folder.mkdir(parents=True, exist_ok=True)
            # If two runs start at the same time, only one of them creates the file.
            is_ours = not self.checkpoint.exists() and _create(self.events)
        except OSError as error:
            raise HarnessError(f"cannot write to {self.root}: {error.strerror}.") from error
        if not is_ours:
            raise HarnessError(
                f"{self.root} holds another run; remove it, or choose an empty folder with --out."
            )


def _create(path: Path) -> bool:
    """Create a file; False if it exists already."""
    try:
        path.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True
