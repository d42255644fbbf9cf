"""Record the partitions that Apache Kafka chooses for the ids of groups and transactions.

A developer's tool, not a test: MINIKAFKA_KAFKA_JARS=DIR python -m
tests.conformance.record_coordinator_partitions, where DIR has the jars of a Kafka release. Needs a
JDK. Replaces tests/conformance/data/coordinator_partitions.txt: a letter for each name of
`coordinator_names`, "0" for partition 0 of 50.
"""

import os
import subprocess
import tempfile
from pathlib import Path

from tests.conformance.coordinator_names import PARTITIONS, names

JARS = Path(os.environ["MINIKAFKA_KAFKA_JARS"])
DATA = Path(__file__).parent / "data" / "coordinator_partitions.txt"
ROW = 100

ASK_KAFKA = """
import java.nio.file.*;
import org.apache.kafka.common.utils.Utils;

public class AskKafka {
    public static void main(String[] args) throws Exception {
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            StringBuilder name = new StringBuilder();
            for (int i = 0; i < line.length(); i += 4)
                name.append((char) Integer.parseInt(line.substring(i, i + 4), 16));
            System.out.print((char) ('0' + Utils.abs(name.toString().hashCode()) % COUNT));
        }
    }
}
""".replace("COUNT", str(PARTITIONS))


def main():
    """Ask Kafka's own function, and write the file."""
    with tempfile.TemporaryDirectory() as folder:
        source, asked = Path(folder, "AskKafka.java"), Path(folder, "names")
        source.write_text(ASK_KAFKA)
        lines = [each.encode("utf-16-be", "surrogatepass").hex() for each in names()]
        asked.write_text("\n".join(lines) + "\n")
        command = ["java", "-cp", f"{JARS}/*", source, asked]
        answers = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = [answers[at : at + ROW] for at in range(0, len(answers), ROW)]
    DATA.write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
