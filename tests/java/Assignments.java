import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.api.assignor.ConsumerGroupPartitionAssignor;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;
import org.apache.kafka.coordinator.group.api.assignor.SubscriptionType;
import org.apache.kafka.coordinator.group.assignor.RangeAssignor;
import org.apache.kafka.coordinator.group.assignor.UniformAssignor;
import org.apache.kafka.coordinator.group.modern.Assignment;
import org.apache.kafka.coordinator.group.modern.GroupSpecImpl;
import org.apache.kafka.coordinator.group.modern.MemberSubscriptionAndAssignmentImpl;

/** Divides the groups of a file, one as JSON in each line, by the assignors of Apache Kafka. */
public class Assignments {
    private static final ObjectMapper JSON = new ObjectMapper();

    public static void main(String[] words) throws Exception {
        for (String line : Files.readAllLines(Path.of(words[0]))) {
            System.out.println(JSON.writeValueAsString(divided(JSON.readTree(line))));
        }
    }

    private static Map<String, Map<String, Set<Integer>>> divided(JsonNode group) {
        Map<Uuid, Integer> counts = new HashMap<>();
        for (Map.Entry<String, JsonNode> topic : group.get("topics").properties()) {
            counts.put(id(topic.getKey()), topic.getValue().asInt());
        }
        Map<String, MemberSubscriptionAndAssignmentImpl> members = new HashMap<>();
        Map<Uuid, Map<Integer, String>> owners = new HashMap<>();
        for (Map.Entry<String, JsonNode> entry : group.get("members").properties()) {
            JsonNode member = entry.getValue();
            Set<Uuid> topics = new HashSet<>();
            member.get("topics").forEach(topic -> topics.add(id(topic.asText())));
            Map<Uuid, Set<Integer>> target = new HashMap<>();
            for (Map.Entry<String, JsonNode> topic : member.get("target").properties()) {
                Set<Integer> indexes = new HashSet<>();
                for (JsonNode index : topic.getValue()) {
                    indexes.add(index.asInt());
                    owners.computeIfAbsent(id(topic.getKey()), key -> new HashMap<>())
                        .put(index.asInt(), entry.getKey());
                }
                target.put(id(topic.getKey()), indexes);
            }
            members.put(entry.getKey(), new MemberSubscriptionAndAssignmentImpl(
                Optional.empty(), Optional.ofNullable(member.get("instance").textValue()), topics,
                new Assignment(target)));
        }
        ConsumerGroupPartitionAssignor assignor =
            group.get("assignor").asText().equals("range") ? new RangeAssignor() : new UniformAssignor();
        SubscriptionType type = group.get("homogeneous").asBoolean()
            ? SubscriptionType.HOMOGENEOUS : SubscriptionType.HETEROGENEOUS;
        Map<String, Map<String, Set<Integer>>> found = new TreeMap<>();
        assignor.assign(new GroupSpecImpl(members, type, owners), new Counts(counts)).members().forEach((member, its) -> {
            Map<String, Set<Integer>> sorted = new TreeMap<>();
            its.partitions().forEach((topic, indexes) -> {
                if (!indexes.isEmpty()) {
                    sorted.put(Long.toString(topic.getLeastSignificantBits()), new TreeSet<>(indexes));
                }
            });
            found.put(member, sorted);
        });
        return found;
    }

    private static Uuid id(String number) {
        return new Uuid(0, Long.parseLong(number));
    }

    private record Counts(Map<Uuid, Integer> counts) implements SubscribedTopicDescriber {
        @Override
        public int numPartitions(Uuid topic) {
            return counts.getOrDefault(topic, -1);
        }

        @Override
        public Set<String> racksForPartition(Uuid topic, int partition) {
            return Set.of();
        }
    }
}
