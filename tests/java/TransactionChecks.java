import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.AbortTransactionSpec;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeProducersOptions;
import org.apache.kafka.clients.admin.FeatureUpdate;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.admin.UpdateFeaturesOptions;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * What Java clients see of transactions, a line for each check: its name and its outcome.
 * Outcomes have no ids, offsets of other checks or times, so that two clusters can be compared.
 *
 *     java TransactionChecks HOST:PORT TRANSACTION_VERSION
 *
 * The broker aborts transactions that have timed out each second or sooner.
 */
public class TransactionChecks {
    private static final int PARTITIONS = 2;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final long PAUSE_MS = 20;

    private final String servers;
    private final Admin admin;
    private final short replicas;
    private final short version;
    private int names;

    public static void main(String[] arguments) throws Exception {
        new TransactionChecks(arguments[0], Short.parseShort(arguments[1])).run();
    }

    TransactionChecks(String servers, short version) throws Exception {
        this.servers = servers;
        this.version = version;
        this.admin = Admin.create(Map.of("bootstrap.servers", servers));
        this.replicas = (short) Math.min(3, admin.describeCluster().nodes().get().size());
    }

    private void run() throws Exception {
        setVersion();
        Map<String, Callable<Object>> checks = new LinkedHashMap<>();
        checks.put("commit", this::commit);
        checks.put("abort", this::abort);
        checks.put("many transactions of two producers", this::many);
        checks.put("open transaction holds back readers", this::open);
        checks.put("empty transactions", this::empty);
        checks.put("fenced by a second producer", this::fenced);
        checks.put("fenced by a second producer while idle", this::fencedIdle);
        checks.put("fenced by fenceProducers", this::fencedByAdmin);
        checks.put("fenceProducers of a new id", this::fenceNew);
        checks.put("transaction that timed out", this::timedOut);
        checks.put("timeout above transaction.max.timeout.ms", this::longTimeout);
        checks.put("record that is too large", this::tooLarge);
        checks.put("offsets committed", () -> offsets(true));
        checks.put("offsets aborted", () -> offsets(false));
        checks.put("offsets only", this::offsetsOnly);
        checks.put("offsets of an old generation", this::oldGeneration);
        checks.put("offsets that are pending", this::pendingOffsets);
        checks.put("describeTransactions", this::describe);
        checks.put("describeTransactions of a missing id", this::describeMissing);
        checks.put("listTransactions", this::list);
        checks.put("describeProducers", this::describeProducers);
        checks.put("describeProducers of a missing partition", this::describeMissingPartition);
        checks.put("abortTransaction", this::abortByAdmin);
        checks.put("abortTransaction with an old epoch", this::abortWithOldEpoch);
        checks.put("forceTerminateTransaction", this::terminate);
        checks.put("forceTerminateTransaction of a missing id", this::terminateMissing);
        checks.put("topic deleted in a transaction", this::deletedTopic);
        checks.put("deleteRecords in a transaction", this::deletedRecords);
        checks.put("deleteConsumerGroups in a transaction", this::deletedGroup);
        for (Map.Entry<String, Callable<Object>> check : checks.entrySet()) {
            System.out.println("check " + check.getKey() + ": " + outcome(check.getValue()));
        }
        admin.close();
    }

    private void setVersion() throws Exception {
        short now = admin.describeFeatures().featureMetadata().get().finalizedFeatures()
            .get("transaction.version") == null ? 0 : admin.describeFeatures().featureMetadata().get()
            .finalizedFeatures().get("transaction.version").maxVersionLevel();
        if (now != version) {
            FeatureUpdate.UpgradeType type = version < now
                ? FeatureUpdate.UpgradeType.SAFE_DOWNGRADE : FeatureUpdate.UpgradeType.UPGRADE;
            admin.updateFeatures(
                Map.of("transaction.version", new FeatureUpdate(version, type)),
                new UpdateFeaturesOptions()).all().get();
        }
    }

    // Producers and readers

    private String name(String what) {
        names += 1;
        return what + "-v" + version + "-" + names;
    }

    private String topic() throws Exception {
        String topic = name("topic");
        admin.createTopics(List.of(new NewTopic(topic, PARTITIONS, replicas))).all().get();
        until(() -> {
            admin.describeTopics(List.of(topic)).allTopicNames().get();
            return true;
        });
        return topic;
    }

    private KafkaProducer<String, String> producer(String id, Object... options) {
        Properties values = new Properties();
        values.put("bootstrap.servers", servers);
        values.put("transactional.id", id);
        values.put("delivery.timeout.ms", 60_000);
        values.put("linger.ms", 0);
        for (int at = 0; at < options.length; at += 2) {
            values.put(options[at], options[at + 1]);
        }
        return new KafkaProducer<>(values, new StringSerializer(), new StringSerializer());
    }

    private KafkaProducer<String, String> started(String id, Object... options) {
        KafkaProducer<String, String> made = producer(id, options);
        made.initTransactions();
        return made;
    }

    private KafkaConsumer<String, String> consumer(String group, String isolation) {
        Properties values = new Properties();
        values.put("bootstrap.servers", servers);
        values.put("group.id", group);
        values.put("isolation.level", isolation);
        values.put("enable.auto.commit", false);
        values.put("auto.offset.reset", "earliest");
        return new KafkaConsumer<>(values, new StringDeserializer(), new StringDeserializer());
    }

    private static void send(
        KafkaProducer<String, String> producer, String topic, int partition, String value
    ) throws Exception {
        producer.send(new ProducerRecord<>(topic, partition, null, value)).get();
    }

    /** The values up to the end of this isolation level, by partition. */
    private List<List<String>> read(String topic, String isolation) {
        List<List<String>> found = new ArrayList<>();
        List<TopicPartition> partitions = partitions(topic);
        try (KafkaConsumer<String, String> reader = consumer(name("reader"), isolation)) {
            reader.assign(partitions);
            reader.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = reader.endOffsets(partitions);
            partitions.forEach(each -> found.add(new ArrayList<>()));
            while (partitions.stream().anyMatch(each -> reader.position(each) < ends.get(each))) {
                for (ConsumerRecord<String, String> record : reader.poll(Duration.ofMillis(100))) {
                    found.get(record.partition()).add(record.value());
                }
            }
        }
        return found;
    }

    private static List<TopicPartition> partitions(String topic) {
        return List.of(new TopicPartition(topic, 0), new TopicPartition(topic, 1));
    }

    private Object both(String topic) {
        return List.of(read(topic, "read_committed"), read(topic, "read_uncommitted"));
    }

    private static void until(Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + PATIENCE.toNanos();
        Exception last = null;
        while (System.nanoTime() < end) {
            try {
                if (condition.call()) {
                    return;
                }
                last = null;
            } catch (ExecutionException error) {
                last = error;
            }
            Thread.sleep(PAUSE_MS);
        }
        throw new IllegalStateException("not within " + PATIENCE, last);
    }

    private TransactionDescription described(String id) throws Exception {
        return admin.describeTransactions(List.of(id)).description(id).get();
    }

    /** Wait until no marker of the transaction is missing. */
    private void ended(String id) throws Exception {
        until(() -> !described(id).state().toString().startsWith("Prepare"));
    }

    private static Object outcome(Callable<Object> action) {
        try {
            return action.call();
        } catch (Throwable error) {
            return nameOf(error);
        }
    }

    private static String nameOf(Throwable error) {
        Throwable cause = error;
        StringBuilder text = new StringBuilder();
        while (cause != null) {
            if (!(cause instanceof ExecutionException)) {
                text.append(text.length() > 0 ? " < " : "").append(cause.getClass().getSimpleName());
            }
            cause = cause.getCause();
        }
        return text.toString();
    }

    private static Object attempt(ThrowingAction action) {
        return outcome(() -> {
            action.run();
            return "done";
        });
    }

    private interface ThrowingAction {
        void run() throws Exception;
    }

    // Commits and aborts

    private Object commit() throws Exception {
        String topic = topic();
        String id = name("commit");
        try (KafkaProducer<String, String> producer = started(id)) {
            for (String value : List.of("a", "b", "c")) {
                producer.beginTransaction();
                send(producer, topic, 0, value + "0");
                send(producer, topic, 1, value + "1");
                producer.commitTransaction();
            }
            ended(id);
            return both(topic);
        }
    }

    private Object abort() throws Exception {
        String topic = topic();
        String id = name("abort");
        try (KafkaProducer<String, String> producer = started(id)) {
            for (String value : List.of("a", "b", "c")) {
                producer.beginTransaction();
                send(producer, topic, 0, value + "0");
                send(producer, topic, 1, value + "1");
                if (value.equals("b")) {
                    producer.commitTransaction();
                } else {
                    producer.abortTransaction();
                }
            }
            ended(id);
            return both(topic);
        }
    }

    private Object many() throws Exception {
        String topic = topic();
        Random random = new Random(1);
        List<String> ids = List.of(name("many"), name("many"));
        List<KafkaProducer<String, String>> producers =
            List.of(started(ids.get(0)), started(ids.get(1)));
        List<List<String>> expected = List.of(new ArrayList<>(), new ArrayList<>());
        for (int round = 0; round < 60; round++) {
            KafkaProducer<String, String> producer = producers.get(round % 2);
            producer.beginTransaction();
            boolean commits = random.nextBoolean();
            for (int count = random.nextInt(20); count > 0; count--) {
                int partition = random.nextInt(PARTITIONS);
                String value = round + "/" + count;
                producer.send(new ProducerRecord<>(topic, partition, null, value));
                if (commits) {
                    expected.get(partition).add(value);
                }
            }
            if (commits) {
                producer.commitTransaction();
            } else {
                producer.abortTransaction();
            }
        }
        for (String id : ids) {
            ended(id);
        }
        producers.forEach(KafkaProducer::close);
        return read(topic, "read_committed").equals(expected);
    }

    private Object open() throws Exception {
        String topic = topic();
        List<Object> found = new ArrayList<>();
        String id = name("open");
        try (KafkaProducer<String, String> producer = started(id);
             KafkaProducer<String, String> other = started(name("other"))) {
            producer.beginTransaction();
            send(producer, topic, 0, "open");
            other.beginTransaction();
            send(other, topic, 0, "other");
            send(other, topic, 1, "other");
            other.commitTransaction();
            found.add(both(topic));
            found.add(ends(topic));
            producer.commitTransaction();
            ended(id);
            found.add(both(topic));
            found.add(ends(topic));
        }
        return found;
    }

    /** End offsets at both isolation levels. */
    private Object ends(String topic) throws Exception {
        List<Long> found = new ArrayList<>();
        for (IsolationLevel level : IsolationLevel.values()) {
            for (TopicPartition each : partitions(topic)) {
                found.add(admin.listOffsets(
                    Map.of(each, OffsetSpec.latest()), new ListOffsetsOptions(level)
                ).partitionResult(each).get().offset());
            }
        }
        return found;
    }

    private Object empty() throws Exception {
        String id = name("empty");
        try (KafkaProducer<String, String> producer = started(id)) {
            for (int round = 0; round < 4; round++) {
                producer.beginTransaction();
                if (round % 2 == 0) {
                    producer.commitTransaction();
                } else {
                    producer.abortTransaction();
                }
            }
            return described(id).state() + " " + described(id).producerEpoch();
        }
    }

    // Fencing and timeouts

    private Object fenced() throws Exception {
        String topic = topic();
        String id = name("fenced");
        List<Object> found = new ArrayList<>();
        try (KafkaProducer<String, String> first = producer(id)) {
            first.initTransactions();
            first.beginTransaction();
            send(first, topic, 0, "lost");
            try (KafkaProducer<String, String> second = started(id)) {
                second.beginTransaction();
                send(second, topic, 0, "kept");
                second.commitTransaction();
                ended(id);
            }
            found.add(attempt(() -> send(first, topic, 0, "late")));
            found.add(attempt(first::commitTransaction));
            found.add(attempt(first::abortTransaction));
            found.add(attempt(first::beginTransaction));
            found.add(both(topic));
        }
        return found;
    }

    private Object fencedIdle() throws Exception {
        String topic = topic();
        String id = name("idle");
        List<Object> found = new ArrayList<>();
        try (KafkaProducer<String, String> first = producer(id)) {
            first.initTransactions();
            started(id).close();
            found.add(attempt(first::beginTransaction));
            found.add(attempt(() -> send(first, topic, 0, "late")));
            found.add(attempt(first::commitTransaction));
            found.add(attempt(first::abortTransaction));
            found.add(both(topic));
        }
        return found;
    }

    private Object fencedByAdmin() throws Exception {
        String topic = topic();
        String id = name("by-admin");
        List<Object> found = new ArrayList<>();
        try (KafkaProducer<String, String> first = producer(id)) {
            first.initTransactions();
            first.beginTransaction();
            send(first, topic, 0, "lost");
            admin.fenceProducers(List.of(id)).all().get();
            ended(id);
            found.add(described(id).state());
            found.add(attempt(() -> send(first, topic, 1, "late")));
            found.add(attempt(first::commitTransaction));
            found.add(both(topic));
        }
        return found;
    }

    private Object fenceNew() throws Exception {
        String id = name("new");
        admin.fenceProducers(List.of(id)).all().get();
        return described(id).state() + " " + described(id).producerEpoch();
    }

    private Object timedOut() throws Exception {
        String topic = topic();
        String id = name("late");
        List<Object> found = new ArrayList<>();
        try (KafkaProducer<String, String> producer = producer(id, "transaction.timeout.ms", 1_000)) {
            producer.initTransactions();
            producer.beginTransaction();
            send(producer, topic, 0, "lost");
            until(() -> described(id).state() == TransactionState.COMPLETE_ABORT);
            found.add(attempt(() -> send(producer, topic, 0, "late")));
            found.add(attempt(producer::commitTransaction));
            found.add(attempt(producer::abortTransaction));
            found.add(attempt(() -> {
                producer.beginTransaction();
                send(producer, topic, 0, "again");
                producer.commitTransaction();
            }));
            ended(id);
            found.add(both(topic));
        }
        return found;
    }

    private Object longTimeout() {
        try (KafkaProducer<String, String> producer =
                 producer(name("long"), "transaction.timeout.ms", 900_001)) {
            return attempt(producer::initTransactions);
        }
    }

    private Object tooLarge() throws Exception {
        String topic = topic();
        String id = name("large");
        List<Object> found = new ArrayList<>();
        try (KafkaProducer<String, String> producer = started(id, "max.request.size", 5_000_000)) {
            producer.beginTransaction();
            send(producer, topic, 0, "small");
            found.add(attempt(() -> send(producer, topic, 0, "x".repeat(2_000_000))));
            // Whether the cause is wrapped depends on threads of the client.
            String commit = attempt(producer::commitTransaction).toString();
            found.add(commit.replace("KafkaException < ", ""));
            found.add(attempt(producer::abortTransaction));
            found.add(attempt(() -> {
                producer.beginTransaction();
                send(producer, topic, 0, "again");
                producer.commitTransaction();
            }));
            ended(id);
            found.add(both(topic));
        }
        return found;
    }

    // Offsets

    private Map<TopicPartition, Long> committed(String group) throws Exception {
        Map<TopicPartition, Long> found = new HashMap<>();
        admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get()
            .forEach((partition, offset) -> found.put(partition, offset.offset()));
        return found;
    }

    private static Object offsetsOf(Map<TopicPartition, Long> found, String topic) {
        Map<Integer, Long> rows = new TreeMap<>();
        found.forEach((partition, offset) -> rows.put(partition.partition(), offset));
        return rows;
    }

    private Object offsets(boolean commits) throws Exception {
        String topic = topic();
        String output = topic();
        String group = name("group");
        List<Object> found = new ArrayList<>();
        String id = name("offsets");
        try (KafkaProducer<String, String> producer = started(id);
             KafkaConsumer<String, String> reader = consumer(group, "read_committed")) {
            producer.beginTransaction();
            for (int number = 0; number < 4; number++) {
                send(producer, topic, number % 2, "v" + number);
            }
            producer.commitTransaction();
            ended(id);
            reader.subscribe(List.of(topic));
            Map<TopicPartition, OffsetAndMetadata> next = new HashMap<>();
            int count = 0;
            producer.beginTransaction();
            while (count < 4) {
                for (ConsumerRecord<String, String> record : reader.poll(Duration.ofMillis(100))) {
                    count += 1;
                    next.put(new TopicPartition(topic, record.partition()),
                        new OffsetAndMetadata(record.offset() + 1));
                    send(producer, output, record.partition(), record.value() + "'");
                }
            }
            producer.sendOffsetsToTransaction(next, reader.groupMetadata());
            if (commits) {
                producer.commitTransaction();
            } else {
                producer.abortTransaction();
            }
            ended(id);
            found.add(offsetsOf(committed(group), topic));
            found.add(both(output));
        }
        return found;
    }

    private Object offsetsOnly() throws Exception {
        String topic = topic();
        String group = name("group");
        String id = name("only");
        List<Object> found = new ArrayList<>();
        try (KafkaProducer<String, String> producer = started(id)) {
            for (int round = 0; round < 4; round++) {
                producer.beginTransaction();
                producer.sendOffsetsToTransaction(
                    Map.of(new TopicPartition(topic, 0), new OffsetAndMetadata(round + 10)),
                    new ConsumerGroupMetadata(group));
                if (round % 2 == 0) {
                    producer.commitTransaction();
                } else {
                    producer.abortTransaction();
                }
                ended(id);
                found.add(offsetsOf(committed(group), topic));
            }
        }
        return found;
    }

    private Object oldGeneration() throws Exception {
        String topic = topic();
        String group = name("group");
        List<Object> found = new ArrayList<>();
        try (KafkaProducer<String, String> producer = started(name("generation"));
             KafkaConsumer<String, String> reader = consumer(group, "read_committed")) {
            reader.subscribe(List.of(topic));
            until(() -> {
                reader.poll(Duration.ofMillis(100));
                return !reader.assignment().isEmpty();
            });
            ConsumerGroupMetadata now = reader.groupMetadata();
            List<ConsumerGroupMetadata> wrong = List.of(
                new ConsumerGroupMetadata(group, now.generationId() + 1, now.memberId(), now.groupInstanceId()),
                new ConsumerGroupMetadata(group, now.generationId(), "nobody", now.groupInstanceId()));
            for (ConsumerGroupMetadata each : wrong) {
                producer.beginTransaction();
                found.add(attempt(() -> producer.sendOffsetsToTransaction(
                    Map.of(new TopicPartition(topic, 0), new OffsetAndMetadata(1)), each)));
                found.add(attempt(producer::commitTransaction));
                found.add(attempt(producer::abortTransaction));
            }
            producer.beginTransaction();
            found.add(attempt(() -> producer.sendOffsetsToTransaction(
                Map.of(new TopicPartition(topic, 0), new OffsetAndMetadata(1)), now)));
            found.add(attempt(producer::commitTransaction));
        }
        return found;
    }

    private Object pendingOffsets() throws Exception {
        String topic = topic();
        String group = name("group");
        String id = name("pending");
        List<Object> found = new ArrayList<>();
        TopicPartition partition = new TopicPartition(topic, 0);
        try (KafkaProducer<String, String> producer = started(id);
             KafkaConsumer<String, String> reader = consumer(group, "read_committed")) {
            producer.beginTransaction();
            producer.sendOffsetsToTransaction(
                Map.of(partition, new OffsetAndMetadata(7)), new ConsumerGroupMetadata(group));
            found.add(attempt(() -> reader.committed(Set.of(partition), Duration.ofSeconds(1))));
            producer.commitTransaction();
            found.add(reader.committed(Set.of(partition), PATIENCE).get(partition).offset());
        }
        return found;
    }

    // Descriptions

    private Object describe() throws Exception {
        String topic = topic();
        String id = name("described");
        List<Object> found = new ArrayList<>();
        try (KafkaProducer<String, String> producer = started(id, "transaction.timeout.ms", 34_567)) {
            found.add(text(described(id)));
            producer.beginTransaction();
            found.add(text(described(id)));
            send(producer, topic, 1, "a");
            found.add(text(described(id)));
            producer.commitTransaction();
            ended(id);
            found.add(text(described(id)));
            producer.beginTransaction();
            send(producer, topic, 1, "a");
            producer.abortTransaction();
            ended(id);
            found.add(text(described(id)));
        }
        return found;
    }

    private static String text(TransactionDescription it) {
        List<Integer> indexes = new ArrayList<>();
        it.topicPartitions().forEach(each -> indexes.add(each.partition()));
        return it.state() + " epoch " + it.producerEpoch() + " timeout " + it.transactionTimeoutMs()
            + " started " + it.transactionStartTimeMs().isPresent() + " " + indexes
            + " id " + (it.producerId() >= 0) + " coordinator " + (it.coordinatorId() >= 0);
    }

    private Object describeMissing() throws Exception {
        return attempt(() -> described("missing"));
    }

    private Object list() throws Exception {
        String topic = topic();
        String prefix = name("list");
        List<KafkaProducer<String, String>> producers = new ArrayList<>();
        for (String each : List.of("empty", "open", "committed", "aborted")) {
            KafkaProducer<String, String> producer = started(prefix + each);
            producers.add(producer);
            if (!each.equals("empty")) {
                producer.beginTransaction();
                send(producer, topic, 0, each);
            }
            if (each.equals("committed")) {
                producer.commitTransaction();
            } else if (each.equals("aborted")) {
                producer.abortTransaction();
            }
            ended(prefix + each);
        }
        List<Object> found = new ArrayList<>();
        ListTransactionsOptions all = new ListTransactionsOptions();
        found.add(listed(prefix, all));
        found.add(listed(prefix, new ListTransactionsOptions().filterStates(
            List.of(TransactionState.EMPTY, TransactionState.COMPLETE_ABORT))));
        found.add(listed(prefix, new ListTransactionsOptions().filterOnDuration(0)));
        found.add(listed(prefix, new ListTransactionsOptions().filterOnDuration(1_000_000)));
        found.add(listed(prefix, new ListTransactionsOptions().filterOnTransactionalIdPattern(
            prefix + "(open|empty)")));
        found.add(attempt(() -> listed(prefix, new ListTransactionsOptions()
            .filterOnTransactionalIdPattern("["))));
        long open = described(prefix + "open").producerId();
        found.add(listed(prefix, new ListTransactionsOptions().filterProducerIds(List.of(open))));
        producers.get(1).abortTransaction();
        producers.forEach(KafkaProducer::close);
        return found;
    }

    private Object listed(String prefix, ListTransactionsOptions options) throws Exception {
        TreeSet<String> found = new TreeSet<>();
        for (TransactionListing each : admin.listTransactions(options).all().get()) {
            if (each.transactionalId().startsWith(prefix)) {
                found.add(each.transactionalId().substring(prefix.length()) + " " + each.state());
            }
        }
        return found;
    }

    private Object producersOf(TopicPartition partition) throws Exception {
        List<ProducerState> states = new ArrayList<>(
            admin.describeProducers(List.of(partition)).partitionResult(partition).get().activeProducers());
        states.sort(Comparator.comparingLong(ProducerState::producerId));
        List<Object> found = new ArrayList<>();
        for (ProducerState each : states) {
            found.add("epoch " + each.producerEpoch() + " sequence " + each.lastSequence()
                + " coordinator " + each.coordinatorEpoch()
                + " start " + each.currentTransactionStartOffset());
        }
        return found;
    }

    private Object describeProducers() throws Exception {
        String topic = topic();
        TopicPartition partition = new TopicPartition(topic, 0);
        List<Object> found = new ArrayList<>();
        List<String> ids = List.of(name("first"), name("second"));
        try (KafkaProducer<String, String> first = started(ids.get(0));
             KafkaProducer<String, String> second = started(ids.get(1))) {
            found.add(producersOf(partition));
            first.beginTransaction();
            send(first, topic, 0, "a");
            second.beginTransaction();
            send(second, topic, 0, "b");
            send(second, topic, 0, "c");
            found.add(producersOf(partition));
            first.commitTransaction();
            ended(ids.get(0));
            found.add(producersOf(partition));
            second.abortTransaction();
            ended(ids.get(1));
            found.add(producersOf(partition));
            second.beginTransaction();
            send(second, topic, 0, "d");
            found.add(producersOf(partition));
            second.commitTransaction();
        }
        return found;
    }

    private Object describeMissingPartition() throws Exception {
        String topic = topic();
        List<Object> found = new ArrayList<>();
        for (TopicPartition each : List.of(new TopicPartition(topic, 9), new TopicPartition("missing", 0))) {
            // The cause is there if a request was in flight.
            Object outcome = attempt(() -> admin.describeProducers(List.of(each),
                new DescribeProducersOptions().timeoutMs(2_000)).partitionResult(each).get());
            found.add(outcome.toString().split(" < ")[0]);
        }
        return found;
    }

    // Operators

    private ProducerState onlyProducer(TopicPartition partition) throws Exception {
        Collection<ProducerState> all =
            admin.describeProducers(List.of(partition)).partitionResult(partition).get().activeProducers();
        return all.iterator().next();
    }

    private Object abortByAdmin() throws Exception {
        return abortByAdmin(0);
    }

    private Object abortWithOldEpoch() throws Exception {
        return abortByAdmin(-1);
    }

    private Object abortByAdmin(int difference) throws Exception {
        String topic = topic();
        TopicPartition partition = new TopicPartition(topic, 0);
        String id = name("hanging");
        List<Object> found = new ArrayList<>();
        started(id).close();
        try (KafkaProducer<String, String> producer = started(id)) {
            producer.beginTransaction();
            send(producer, topic, 0, "first");
            producer.commitTransaction();
            ended(id);
            producer.beginTransaction();
            send(producer, topic, 0, "lost");
            ProducerState state = onlyProducer(partition);
            found.add(attempt(() -> admin.abortTransaction(new AbortTransactionSpec(
                partition, state.producerId(), (short) (state.producerEpoch() + difference),
                state.coordinatorEpoch().getAsInt())).all().get()));
            found.add(producersOf(partition));
            found.add(attempt(() -> send(producer, topic, 0, "late")));
            found.add(attempt(producer::commitTransaction));
            found.add(attempt(producer::abortTransaction));
            ended(id);
            found.add(both(topic));
        }
        return found;
    }

    private Object terminate() throws Exception {
        String topic = topic();
        String id = name("terminated");
        List<Object> found = new ArrayList<>();
        try (KafkaProducer<String, String> producer = producer(id)) {
            producer.initTransactions();
            producer.beginTransaction();
            send(producer, topic, 0, "lost");
            found.add(attempt(() -> admin.forceTerminateTransaction(id).result().get()));
            ended(id);
            found.add(text(described(id)));
            found.add(attempt(producer::commitTransaction));
            found.add(both(topic));
        }
        return found;
    }

    private Object terminateMissing() throws Exception {
        String id = name("missing");
        List<Object> found = new ArrayList<>();
        found.add(attempt(() -> admin.forceTerminateTransaction(id).result().get()));
        found.add(attempt(() -> described(id)));
        return found;
    }

    private Object deletedTopic() throws Exception {
        String topic = topic();
        String kept = topic();
        String id = name("deleted");
        List<Object> found = new ArrayList<>();
        try (KafkaProducer<String, String> producer = started(id)) {
            producer.beginTransaction();
            send(producer, topic, 0, "lost");
            send(producer, kept, 0, "kept");
            admin.deleteTopics(List.of(topic)).all().get();
            until(() -> attempt(() -> admin.describeTopics(List.of(topic)).allTopicNames().get())
                .equals("UnknownTopicOrPartitionException"));
            found.add(attempt(producer::commitTransaction));
            ended(id);
            found.add(text(described(id)));
            found.add(both(kept));
        }
        return found;
    }

    private Object deletedRecords() throws Exception {
        String topic = topic();
        TopicPartition partition = new TopicPartition(topic, 0);
        String id = name("purged");
        List<Object> found = new ArrayList<>();
        try (KafkaProducer<String, String> producer = started(id)) {
            producer.beginTransaction();
            send(producer, topic, 0, "a");
            send(producer, topic, 0, "b");
            found.add(attempt(() -> admin.deleteRecords(Map.of(
                partition, org.apache.kafka.clients.admin.RecordsToDelete.beforeOffset(2))).all().get()));
            found.add(ends(topic));
            found.add(producersOf(partition));
            send(producer, topic, 0, "c");
            producer.commitTransaction();
            ended(id);
            found.add(ends(topic));
            found.add(both(topic));
        }
        return found;
    }

    private Object deletedGroup() throws Exception {
        String topic = topic();
        String group = name("group");
        String id = name("grouped");
        List<Object> found = new ArrayList<>();
        TopicPartition partition = new TopicPartition(topic, 0);
        try (KafkaProducer<String, String> producer = started(id)) {
            producer.beginTransaction();
            producer.sendOffsetsToTransaction(
                Map.of(partition, new OffsetAndMetadata(7)), new ConsumerGroupMetadata(group));
            found.add(attempt(() -> admin.deleteConsumerGroupOffsets(group, Set.of(partition)).all().get()));
            found.add(attempt(() -> admin.deleteConsumerGroups(List.of(group)).all().get()));
            producer.commitTransaction();
            ended(id);
            found.add(offsetsOf(committed(group), topic));
            found.add(attempt(() -> admin.deleteConsumerGroups(List.of(group)).all().get()));
        }
        return found;
    }
}
