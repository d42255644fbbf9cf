"""Record what Apache Kafka decides for random partitions, for test_partition_changes.py to read.

A developer's tool, not a test: MINIKAFKA_KAFKA_JARS=DIR python -m
tests.conformance.record_partition_changes, where DIR has the jars of a Kafka release. Needs a JDK.
Replaces tests/conformance/data/partition_changes.txt.
"""

import os
import subprocess
import tempfile
from pathlib import Path
from random import Random

from tests.conformance.partition_change_cases import draw, to_line

JARS = Path(os.environ["MINIKAFKA_KAFKA_JARS"])
DATA = Path(__file__).parent / "data" / "partition_changes.txt"
CASES = 1500

ASK_KAFKA = """
import java.nio.file.*;
import java.util.*;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metadata.PartitionChangeRecord;
import org.apache.kafka.controller.PartitionChangeBuilder;
import org.apache.kafka.metadata.*;
import org.apache.kafka.server.common.*;

public class AskKafka {
    static List<Integer> list(String text) {
        List<Integer> found = new ArrayList<>();
        if (!text.equals("-")) for (String item : text.split(",")) found.add(Integer.valueOf(item));
        return found;
    }

    static int[] array(String text) {
        return list(text).stream().mapToInt(Integer::intValue).toArray();
    }

    static String text(List<Integer> items) {
        if (items == null) return "null";
        if (items.isEmpty()) return "-";
        return String.join(",", items.stream().map(String::valueOf).toList());
    }

    public static void main(String[] args) throws Exception {
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            String[] f = line.split("\\\\|");
            int[] replicas = array(f[0]);
            Uuid[] directories = new Uuid[replicas.length];
            for (int i = 0; i < replicas.length; i++) directories[i] = new Uuid(7, replicas[i]);
            int last = Integer.parseInt(f[4]);
            PartitionRegistration now = new PartitionRegistration.Builder()
                .setReplicas(replicas).setDirectories(directories)
                .setIsr(array(f[1])).setElr(array(f[2])).setLeader(Integer.parseInt(f[3]))
                .setLastKnownElr(last < 0 ? new int[0] : new int[] {last})
                .setLeaderRecoveryState(LeaderRecoveryState.of(Byte.parseByte(f[5])))
                .setLeaderEpoch(3).setPartitionEpoch(9)
                .setAddingReplicas(array(f[12])).setRemovingReplicas(array(f[13])).build();
            Set<Integer> alive = new HashSet<>(list(f[6]));
            PartitionChangeBuilder change = new PartitionChangeBuilder(now, new Uuid(1, 1), 0,
                alive::contains, MetadataVersion.IBP_4_0_IV1, Integer.parseInt(f[10]),
                f[11].equals("1"));
            change.setDefaultDirProvider(broker -> new Uuid(7, broker));
            if (!f[7].equals("null")) change.setTargetIsr(list(f[7]));
            change.setUncleanShutdownReplicas(list(f[8]));
            change.setElection(PartitionChangeBuilder.Election.valueOf(f[9]));
            Optional<ApiMessageAndVersion> built = change.build();
            if (built.isEmpty()) {
                System.out.println("none");
                continue;
            }
            PartitionChangeRecord r = (PartitionChangeRecord) built.get().message();
            System.out.println(String.join("|", text(r.isr()), "" + r.leader(),
                text(r.eligibleLeaderReplicas()), "" + r.leaderRecoveryState(),
                text(r.replicas()), text(r.removingReplicas()), text(r.addingReplicas())));
        }
    }
}
"""


def main() -> None:
    rng = Random(2026)
    cases = [to_line(draw(rng)) for _ in range(CASES)]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "AskKafka.java")
        source.write_text(ASK_KAFKA)
        asked = Path(folder, "cases.txt")
        asked.write_text("\n".join(cases) + "\n")
        classpath = os.pathsep.join(str(jar) for jar in sorted(JARS.glob("*.jar")))
        answered = subprocess.run(
            ["java", "-cp", classpath, source, asked], capture_output=True, text=True, check=True
        )
    answers = answered.stdout.splitlines()
    lines = [f"{case} -> {answer}" for case, answer in zip(cases, answers, strict=True)]
    DATA.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
