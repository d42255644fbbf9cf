// Writes a record to `minikafka dev`, and reads it again:
//   mvn -q compile dependency:build-classpath -Dmdep.outputFile=target/classpath
//   java -cp target/classes:$(cat target/classpath) Example

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

public class Example {
    public static void main(String[] args) throws Exception {
        String servers = System.getenv().getOrDefault("MINIKAFKA_BOOTSTRAP_SERVERS", "127.0.0.1:19092");
        String topic = "hello-from-java";

        Map<String, Object> writing = Map.of("bootstrap.servers", servers);
        try (var producer = new KafkaProducer<>(writing, new StringSerializer(), new StringSerializer())) {
            producer.send(new ProducerRecord<>(topic, "hello")).get();
        }

        Map<String, Object> reading = Map.of(
            "bootstrap.servers", servers,
            "group.id", "readers-of-java",
            "auto.offset.reset", "earliest");
        try (var consumer = new KafkaConsumer<>(reading, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of(topic));
            for (var record : consumer.poll(Duration.ofSeconds(20))) {
                System.out.printf("%s-%d@%d: %s%n", topic, record.partition(), record.offset(), record.value());
            }
        }
    }
}
