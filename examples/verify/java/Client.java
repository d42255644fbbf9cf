// A client for "minikafka verify --client-command": Apache Kafka's; see docs/any-client.md.
//
//   mvn -q package && minikafka verify --seconds 10 \
//       --client-command 'java -cp target/client.jar:target/libs/* Client'

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;

public final class Client {
    private static final ObjectMapper JSON = new ObjectMapper();

    public static void main(String[] arguments) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in), 1 << 20);
        JsonNode settings = JSON.readTree(input.readLine());
        Properties properties = new Properties();
        settings.get("properties").properties().forEach(it -> properties.put(it.getKey(), it.getValue().asText()));
        properties.put("max.request.size", settings.get("message_max_bytes").asText());
        ByteArraySerializer bytes = new ByteArraySerializer();
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(properties, bytes, bytes)) {
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                JsonNode record = JSON.readTree(line);
                long id = record.get("id").asLong();
                producer.send(parse(record), (metadata, error) -> write(id, metadata, error));
            }
        }
    }

    private static ProducerRecord<byte[], byte[]> parse(JsonNode record) throws IOException {
        List<Header> headers = new ArrayList<>();
        for (JsonNode header : record.get("headers")) {
            headers.add(new RecordHeader(header.get(0).asText(), header.get(1).binaryValue()));
        }
        return new ProducerRecord<>(record.get("topic").asText(), record.get("partition").asInt(),
                record.get("timestamp").asLong(), record.get("key").binaryValue(),
                record.get("value").binaryValue(), headers);
    }

    private static void write(long id, RecordMetadata metadata, Exception error) {
        Map<String, Object> outcome;
        if (error == null) {
            outcome = Map.of("id", id, "partition", metadata.partition(), "offset", metadata.offset(),
                    "timestamp", metadata.timestamp());
        } else {
            boolean definite = error instanceof RecordTooLargeException || error instanceof AuthorizationException;
            outcome = Map.of("id", id, "error", String.valueOf(error), "definite", definite);
        }
        try {
            System.out.println(JSON.writeValueAsString(outcome));
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
