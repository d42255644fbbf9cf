import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * A client that does what each line of its input says, and answers each with a line.
 *
 *     java FaultClient HOST:PORT
 *
 *     produce TOPIC VALUE           answer ok
 *     consume TOPIC COUNT           answer ok VALUE…
 *     commit GROUP TOPIC OFFSET     answer ok
 *
 * What fails has the answer "failed" with the error.
 */
public class FaultClient {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration POLL = Duration.ofMillis(200);

    private final String servers;

    public static void main(String[] arguments) throws Exception {
        FaultClient client = new FaultClient(arguments[0]);
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String answer;
            try {
                answer = "ok " + client.carryOut(line.split(" "));
            } catch (Exception error) {
                answer = "failed " + error;
            }
            System.out.println("answer " + answer.replace('\n', ' '));
            System.out.flush();
        }
    }

    private FaultClient(String servers) {
        this.servers = servers;
    }

    private String carryOut(String[] words) throws Exception {
        switch (words[0]) {
            case "produce":
                produce(words[1], words[2]);
                return "";
            case "consume":
                return String.join(" ", consume(words[1], Integer.parseInt(words[2])));
            case "commit":
                commit(words[1], words[2], Long.parseLong(words[3]));
                return "";
            default:
                throw new IllegalArgumentException(words[0]);
        }
    }

    private void produce(String topic, String value) throws Exception {
        Properties options = options();
        options.put("request.timeout.ms", "1500");
        options.put("delivery.timeout.ms", "30000");
        options.put("linger.ms", "0");
        options.put("retry.backoff.ms", "50");
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(options, new StringSerializer(), new StringSerializer())) {
            producer.send(new ProducerRecord<>(topic, value)).get();
        }
    }

    private List<String> consume(String topic, int count) {
        List<String> values = new ArrayList<>();
        long end = System.nanoTime() + PATIENCE.toNanos();
        try (KafkaConsumer<String, String> consumer = consumer("none")) {
            TopicPartition partition = new TopicPartition(topic, 0);
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            while (values.size() < count && System.nanoTime() < end) {
                try {
                    consumer.poll(POLL).forEach(each -> values.add(each.value()));
                } catch (KafkaException corrupt) {
                    // The consumer keeps what it has fetched, unless the partition is taken away.
                    long next = consumer.position(partition);
                    consumer.assign(List.of());
                    consumer.assign(List.of(partition));
                    consumer.seek(partition, next);
                }
            }
        }
        return values;
    }

    private void commit(String group, String topic, long offset) {
        try (KafkaConsumer<String, String> consumer = consumer(group)) {
            consumer.commitSync(
                Map.of(new TopicPartition(topic, 0), new OffsetAndMetadata(offset)), PATIENCE);
        }
    }

    private KafkaConsumer<String, String> consumer(String group) {
        Properties options = options();
        options.put("group.id", group);
        options.put("enable.auto.commit", "false");
        options.put("request.timeout.ms", "2000");
        options.put("fetch.max.wait.ms", "100");
        return new KafkaConsumer<>(options, new StringDeserializer(), new StringDeserializer());
    }

    private Properties options() {
        Properties options = new Properties();
        options.put("bootstrap.servers", servers);
        return options;
    }
}
