import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * The parts of a test of exactly-once processing, each a process of its own.
 *
 *     java ExactlyOnce create SERVERS TOPIC...                   3 partitions, 3 replicas, min ISR 2
 *     java ExactlyOnce generate SERVERS TOPIC RATE               0, 1, 2, ... to each partition
 *     java ExactlyOnce copy SERVERS INPUT OUTPUT GROUP ID        until it is killed
 *     java ExactlyOnce verify SERVERS TOPIC COUNT...             each partition has 0 ... COUNT - 1
 *     java ExactlyOnce digits SERVERS TOPIC COUNT...             see WordCount
 *
 * `generate` ends with its standard input, and prints the number of records of each partition.
 */
public class ExactlyOnce {
    static final int PARTITIONS = 3;
    private static final Duration POLL = Duration.ofMillis(200);
    private static final long PATIENCE_MS = 180_000;
    private static final int ABORTED_ONE_IN = 10;

    public static void main(String[] arguments) throws Exception {
        List<String> words = List.of(arguments);
        String servers = words.get(1);
        switch (words.get(0)) {
            case "create" -> create(servers, words.subList(2, words.size()));
            case "generate" -> generate(servers, words.get(2), Integer.parseInt(words.get(3)));
            case "copy" -> new Copier(servers, words.get(2), words.get(3), words.get(4), words.get(5)).run();
            case "verify" -> verify(servers, words.get(2), counts(words));
            case "digits" -> digits(servers, words.get(2), counts(words));
            default -> throw new IllegalArgumentException(words.get(0));
        }
    }

    private static long[] counts(List<String> words) {
        return words.stream().skip(3).mapToLong(Long::parseLong).toArray();
    }

    private static void create(String servers, List<String> topics) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
            List<NewTopic> made = new ArrayList<>();
            for (String each : topics) {
                made.add(new NewTopic(each, PARTITIONS, (short) 3)
                    .configs(Map.of("min.insync.replicas", "2")));
            }
            admin.createTopics(made).all().get();
        }
    }

    private static Properties common(String servers) {
        Properties values = new Properties();
        values.put("bootstrap.servers", servers);
        return values;
    }

    private static void generate(String servers, String topic, int rate) throws Exception {
        Properties values = common(servers);
        values.put("delivery.timeout.ms", 600_000);
        values.put("linger.ms", 5);
        long[] next = new long[PARTITIONS];
        List<Exception> errors = new ArrayList<>();
        try (KafkaProducer<String, String> producer =
                 new KafkaProducer<>(values, new StringSerializer(), new StringSerializer())) {
            long begun = System.nanoTime();
            long sent = 0;
            while (System.in.available() == 0) {
                long due = (System.nanoTime() - begun) / 1_000_000 * rate / 1_000;
                for (; sent < due; sent++) {
                    int partition = (int) (sent % PARTITIONS);
                    producer.send(
                        new ProducerRecord<>(topic, partition, null, Long.toString(next[partition]++)),
                        (metadata, error) -> {
                            if (error != null) {
                                errors.add(error);
                            }
                        });
                }
                Thread.sleep(5);
            }
            producer.flush();
        }
        if (!errors.isEmpty()) {
            throw errors.get(0);
        }
        System.out.println(next[0] + " " + next[1] + " " + next[2]);
    }

    private static KafkaConsumer<String, String> reader(String servers, String group) {
        Properties values = common(servers);
        values.put("group.id", group);
        values.put("isolation.level", "read_committed");
        values.put("enable.auto.commit", false);
        values.put("auto.offset.reset", "earliest");
        values.put("max.poll.records", 200);
        values.put("session.timeout.ms", 10_000);
        return new KafkaConsumer<>(values, new StringDeserializer(), new StringDeserializer());
    }

    /** Copies records; the offsets of the input are part of the transaction of its output. */
    private static class Copier {
        private final String servers;
        private final String input;
        private final String output;
        private final String group;
        private final String id;
        private final Random random = new Random();

        Copier(String servers, String input, String output, String group, String id) {
            this.servers = servers;
            this.input = input;
            this.output = output;
            this.group = group;
            this.id = id;
        }

        void run() {
            while (true) {
                try (KafkaProducer<String, String> producer = started();
                     KafkaConsumer<String, String> consumer = reader(servers, group)) {
                    consumer.subscribe(List.of(input));
                    while (true) {
                        copy(producer, consumer);
                    }
                } catch (ProducerFencedException error) {
                    System.out.println("fenced");
                } catch (KafkaException error) {
                    System.out.println("starts again after " + error);
                }
            }
        }

        private KafkaProducer<String, String> started() {
            Properties values = common(servers);
            values.put("transactional.id", id);
            values.put("delivery.timeout.ms", 60_000);
            values.put("transaction.timeout.ms", 30_000);
            values.put("linger.ms", 0);
            KafkaProducer<String, String> producer =
                new KafkaProducer<>(values, new StringSerializer(), new StringSerializer());
            try {
                producer.initTransactions();
            } catch (RuntimeException error) {
                producer.close(Duration.ZERO);
                throw error;
            }
            return producer;
        }

        private void copy(KafkaProducer<String, String> producer, KafkaConsumer<String, String> consumer) {
            ConsumerRecords<String, String> records = consumer.poll(POLL);
            if (records.isEmpty()) {
                return;
            }
            boolean aborts = random.nextInt(ABORTED_ONE_IN) == 0;
            try {
                producer.beginTransaction();
                for (ConsumerRecord<String, String> record : records) {
                    producer.send(new ProducerRecord<>(output, record.partition(), null, record.value()));
                }
                Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
                for (TopicPartition each : records.partitions()) {
                    List<ConsumerRecord<String, String>> rows = records.records(each);
                    offsets.put(each, new OffsetAndMetadata(rows.get(rows.size() - 1).offset() + 1));
                }
                producer.sendOffsetsToTransaction(offsets, consumer.groupMetadata());
                if (!aborts) {
                    producer.commitTransaction();
                    System.out.println("copied " + records.count());
                    return;
                }
            } catch (ProducerFencedException error) {
                throw error;
            } catch (KafkaException error) {
                System.out.println("aborts after " + error);
            }
            producer.abortTransaction();
            System.out.println("aborted " + records.count());
            rewind(consumer);
        }

        private static void rewind(KafkaConsumer<String, String> consumer) {
            Map<TopicPartition, OffsetAndMetadata> committed =
                consumer.committed(consumer.assignment(), Duration.ofSeconds(60));
            for (TopicPartition each : consumer.assignment()) {
                OffsetAndMetadata offset = committed.get(each);
                if (offset == null) {
                    consumer.seekToBeginning(Set.of(each));
                } else {
                    consumer.seek(each, offset);
                }
            }
        }
    }

    /** The values of a topic by partition, once it has `total` or has not grown for long. */
    private static List<List<String>> read(String servers, String topic, long total, boolean keyed) {
        List<List<String>> found = new ArrayList<>();
        List<TopicPartition> partitions = new ArrayList<>();
        for (int index = 0; index < PARTITIONS; index++) {
            found.add(new ArrayList<>());
            partitions.add(new TopicPartition(topic, index));
        }
        try (KafkaConsumer<String, String> consumer = reader(servers, "verify")) {
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            long count = 0;
            long end = System.currentTimeMillis() + PATIENCE_MS;
            // A little longer than needed, so that a second copy of the last records is seen.
            for (int more = 0; more < 25 && System.currentTimeMillis() < end;) {
                ConsumerRecords<String, String> records = consumer.poll(POLL);
                for (ConsumerRecord<String, String> record : records) {
                    found.get(record.partition())
                        .add(keyed ? record.key() + " " + record.value() : record.value());
                }
                count += records.count();
                more += count >= total && records.isEmpty() ? 1 : 0;
                end = records.isEmpty() ? end : System.currentTimeMillis() + PATIENCE_MS;
            }
        }
        return found;
    }

    private static void verify(String servers, String topic, long[] counts) {
        List<List<String>> found = read(servers, topic, sum(counts), false);
        for (int index = 0; index < PARTITIONS; index++) {
            expectSequence("partition " + index, found.get(index), 0, counts[index]);
        }
        System.out.println("exactly once: " + sum(counts) + " records");
    }

    private static long sum(long[] counts) {
        long total = 0;
        for (long each : counts) {
            total += each;
        }
        return total;
    }

    /** Each digit of each number counts once; the topic has every count of every digit, in order. */
    private static void digits(String servers, String topic, long[] counts) {
        long[] wanted = new long[10];
        for (long count : counts) {
            for (long number = 0; number < count; number++) {
                Long.toString(number).chars().forEach(each -> wanted[each - '0']++);
            }
        }
        Map<String, List<String>> found = new HashMap<>();
        for (List<String> rows : read(servers, topic, sum(wanted), true)) {
            for (String row : rows) {
                String[] parts = row.split(" ");
                found.computeIfAbsent(parts[0], it -> new ArrayList<>()).add(parts[1]);
            }
        }
        for (int digit = 0; digit < 10; digit++) {
            String key = Integer.toString(digit);
            expectSequence("digit " + digit, found.getOrDefault(key, List.of()), 1, wanted[digit]);
        }
        System.out.println("exactly once: " + sum(wanted) + " counts");
    }

    private static void expectSequence(String what, List<String> found, long first, long count) {
        for (int at = 0; at < Math.min(found.size(), count); at++) {
            if (Long.parseLong(found.get(at)) != first + at) {
                throw new IllegalStateException(
                    what + ": " + found.get(at) + " instead of " + (first + at));
            }
        }
        if (found.size() != count) {
            throw new IllegalStateException(what + ": " + found.size() + " instead of " + count);
        }
    }
}
