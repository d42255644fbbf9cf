import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.MemberToRemove;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.SubscriptionPattern;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * What Java clients see of consumer groups, a line for each check: its name and its outcome.
 * Outcomes have no ids or times, so that two clusters can be compared.
 *
 *     java ConsumerGroupChecks HOST:PORT,…
 *
 * For the last check it prints "coordinator NODE", and waits for a line: that node is gone then.
 */
public class ConsumerGroupChecks {
    private static final Duration POLL = Duration.ofMillis(20);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int PARTITIONS = 6;

    private final String servers;
    private final Admin admin;
    private int names;

    public static void main(String[] arguments) throws Exception {
        new ConsumerGroupChecks(arguments[0]).run();
    }

    private ConsumerGroupChecks(String servers) {
        this.servers = servers;
        this.admin = Admin.create(Map.of("bootstrap.servers", servers));
    }

    private void run() throws Exception {
        Map<String, Callable<Object>> checks = new LinkedHashMap<>();
        checks.put("records and commits of one member", this::one);
        checks.put("three members", this::three);
        checks.put("static member that comes back", this::comesBack);
        checks.put("two members with one instance id", this::sameInstance);
        checks.put("pattern, and a topic that comes later", this::pattern);
        checks.put("pattern that is no RE2", this::badPattern);
        checks.put("topic that gets partitions", this::grows);
        checks.put("another subscription", this::resubscribes);
        checks.put("classic, consumer, classic", this::rolls);
        checks.put("members that the administrator removes", this::removed);
        checks.put("an administrator's writes to an active group", this::activeGroup);
        checks.put("listGroups", this::listed);
        checks.put("coordinator that is killed", this::killed);
        for (Map.Entry<String, Callable<Object>> check : checks.entrySet()) {
            System.out.println("check " + check.getKey() + ": " + outcome(check.getValue()));
            System.out.flush();
        }
        admin.close();
    }

    // Members

    /** A consumer and what it was told. */
    private final class Member implements AutoCloseable, ConsumerRebalanceListener {
        final KafkaConsumer<String, String> consumer;
        final List<String> values = new ArrayList<>();
        final List<String> events = new ArrayList<>();

        Member(String group, String protocol, String... options) {
            Properties all = new Properties();
            all.put("bootstrap.servers", servers);
            all.put("group.id", group);
            all.put("group.protocol", protocol);
            all.put("enable.auto.commit", "false");
            all.put("auto.offset.reset", "earliest");
            all.put("metadata.max.age.ms", "1000");
            if (protocol.equals("classic")) {
                all.put("heartbeat.interval.ms", "300");
                all.put("session.timeout.ms", "6000");
            }
            for (int at = 0; at < options.length; at += 2) {
                all.put(options[at], options[at + 1]);
            }
            consumer = new KafkaConsumer<>(all, new StringDeserializer(), new StringDeserializer());
        }

        Member to(String... topics) {
            consumer.subscribe(List.of(topics), this);
            return this;
        }

        void poll() {
            for (ConsumerRecord<String, String> record : consumer.poll(POLL)) {
                values.add(record.value());
            }
        }

        int share() {
            return consumer.assignment().size();
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            // It is called with nothing after each revocation, and sometimes when a member joins.
            if (!partitions.isEmpty()) {
                happened("assigned", partitions.size());
            }
        }

        /** Add to the last event if that is of the same kind: partitions may come one by one. */
        private void happened(String kind, int count) {
            int last = events.size() - 1;
            if (last >= 0 && events.get(last).startsWith(kind)) {
                int before = Integer.parseInt(events.get(last).split(" ")[1]);
                events.set(last, kind + " " + (before + count));
            } else {
                events.add(kind + " " + count);
            }
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            happened("revoked", partitions.size());
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
            happened("lost", partitions.size());
        }

        @Override
        public void close() {
            consumer.close();
        }
    }

    private Member member(String group, String topic) {
        return new Member(group, "consumer").to(topic);
    }

    private String name(String what) {
        names += 1;
        return what + "-" + names;
    }

    private String topic() throws Exception {
        return created(name("topic"), PARTITIONS);
    }

    private String created(String topic, int partitions) throws Exception {
        admin.createTopics(List.of(new NewTopic(topic, Optional.of(partitions), Optional.empty())))
            .all().get();
        return topic;
    }

    private void produce(String topic, int from, int to) throws Exception {
        Map<String, Object> options = Map.of("bootstrap.servers", servers);
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(options, new StringSerializer(), new StringSerializer())) {
            for (int number = from; number < to; number++) {
                producer.send(new ProducerRecord<>(topic, number % PARTITIONS, null, "v" + number)).get();
            }
        }
    }

    /** Let members poll until they have these shares, and the group is stable. */
    private void shares(String group, List<Member> members, int... wanted) throws Exception {
        until(members, () -> {
            for (int at = 0; at < wanted.length; at++) {
                if (members.get(at).share() != wanted[at]) {
                    return false;
                }
            }
            return true;
        });
        until(members, () -> described(group).groupState() == GroupState.STABLE);
    }

    private void anyShares(String group, List<Member> members, List<Integer> wanted) throws Exception {
        until(members, () -> members.stream().map(Member::share).sorted().toList().equals(wanted));
        until(members, () -> described(group).groupState() == GroupState.STABLE);
    }

    private void until(List<Member> members, Callable<Boolean> condition) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.call()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("not in time, shares "
                    + members.stream().map(Member::share).toList());
            }
            if (members.isEmpty()) {
                Thread.sleep(POLL.toMillis());
            }
            for (Member each : members) {
                each.poll();
            }
        }
    }

    /** The number of partitions, and of those that more than one member has. */
    private static String owners(List<Member> members) {
        Set<TopicPartition> all = new TreeSet<>((a, b) -> a.toString().compareTo(b.toString()));
        int twice = 0;
        for (Member member : members) {
            for (TopicPartition partition : member.consumer.assignment()) {
                twice += all.add(partition) ? 0 : 1;
            }
        }
        return all.size() + " partitions, " + twice + " twice";
    }

    private ConsumerGroupDescription described(String group) throws Exception {
        return admin.describeConsumerGroups(List.of(group)).all().get().get(group);
    }

    /** What the administrator sees of a group, without ids. */
    private List<Object> seen(String group) throws Exception {
        ConsumerGroupDescription found = described(group);
        List<Object> all = new ArrayList<>(List.of(
            found.type(), found.groupState(), found.partitionAssignor(), found.isSimpleConsumerGroup(),
            found.groupEpoch().equals(found.targetAssignmentEpoch())));
        List<String> members = new ArrayList<>();
        for (MemberDescription each : found.members()) {
            members.add(each.assignment().topicPartitions().size() + " of "
                + each.targetAssignment().map(it -> "" + it.topicPartitions().size()).orElse("none")
                + (each.memberEpoch().equals(found.groupEpoch()) ? ", at the epoch" : ", elsewhere")
                + ", upgraded " + each.upgraded().map(String::valueOf).orElse("unknown")
                + ", instance " + each.groupInstanceId().orElse("none"));
        }
        members.sort(null);
        all.add(members);
        return all;
    }

    private static List<String> events(List<Member> members) {
        return sorted(members.stream().map(each -> String.join(" ", each.events)).toList());
    }

    private static List<String> sorted(List<String> values) {
        return values.stream().sorted().toList();
    }

    private Object offsets(String group) throws Exception {
        long sum = 0;
        Map<TopicPartition, OffsetAndMetadata> found =
            admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get();
        for (OffsetAndMetadata each : found.values()) {
            sum += each == null ? 0 : each.offset();
        }
        return found.size() + " partitions to " + sum;
    }

    private static Object outcome(Callable<Object> work) {
        try {
            return work.call();
        } catch (ExecutionException error) {
            return "" + error.getCause();
        } catch (Exception error) {
            return "" + error;
        }
    }

    // Checks

    private Object one() throws Exception {
        String topic = topic();
        String group = name("group");
        produce(topic, 0, 60);
        List<Object> found = new ArrayList<>();
        try (Member only = member(group, topic)) {
            until(List.of(only), () -> only.values.size() >= 60);
            only.consumer.commitSync();
            found.add(sorted(only.values).hashCode());
            found.add(only.events);
            found.add(seen(group));
            found.add(offsets(group));
        }
        found.add(seen(group));
        produce(topic, 60, 66);
        try (Member next = member(group, topic)) {
            until(List.of(next), () -> next.values.size() >= 6);
            found.add(sorted(next.values));
        }
        return found;
    }

    private Object three() throws Exception {
        String topic = topic();
        String group = name("group");
        List<Object> found = new ArrayList<>();
        List<Member> members = new ArrayList<>();
        for (List<Integer> wanted : List.of(List.of(6), List.of(3, 3), List.of(2, 2, 2))) {
            members.add(member(group, topic));
            anyShares(group, members, wanted);
            found.add(owners(members));
            found.add(events(members));
            found.add(seen(group));
        }
        members.remove(1).close();
        anyShares(group, members, List.of(3, 3));
        found.add(owners(members));
        found.add(events(members));
        members.forEach(Member::close);
        found.add(seen(group));
        return found;
    }

    private Object comesBack() throws Exception {
        String topic = topic();
        String group = name("group");
        List<Object> found = new ArrayList<>();
        Member leaving = new Member(group, "consumer", "group.instance.id", "a").to(topic);
        try (Member staying = new Member(group, "consumer", "group.instance.id", "b").to(topic)) {
            shares(group, List.of(leaving, staying), 3, 3);
            Set<TopicPartition> before = Set.copyOf(leaving.consumer.assignment());
            int epoch = described(group).groupEpoch().get();
            int events = staying.events.size();
            leaving.close();
            found.add(seen(group));
            try (Member back = new Member(group, "consumer", "group.instance.id", "a").to(topic)) {
                shares(group, List.of(back, staying), 3, 3);
                found.add(back.consumer.assignment().equals(before));
                found.add(described(group).groupEpoch().get() - epoch);
                found.add(staying.events.size() - events);
                found.add(seen(group));
                back.consumer.close(CloseOptions.groupMembershipOperation(
                    CloseOptions.GroupMembershipOperation.LEAVE_GROUP));
                shares(group, List.of(staying), 6);
                found.add(seen(group));
            }
        }
        return found;
    }

    private Object sameInstance() throws Exception {
        String topic = topic();
        String group = name("group");
        List<Object> found = new ArrayList<>();
        try (Member first = new Member(group, "consumer", "group.instance.id", "a").to(topic);
                Member second = new Member(group, "consumer", "group.instance.id", "a").to(topic)) {
            shares(group, List.of(first), 6);
            found.add(outcome(() -> {
                until(List.of(second), () -> second.share() == 6);
                return "joined";
            }).toString().replaceAll("(?<= )[-\\w]{22}(?= )", "ID"));
            first.poll();
            found.add(seen(group));
        }
        return found;
    }

    private Object pattern() throws Exception {
        String prefix = name("pattern");
        created(prefix + "-a", 2);
        created(prefix + "-b", 2);
        created("x" + prefix + "-c", 2);
        String group = name("group");
        List<Object> found = new ArrayList<>();
        try (Member member = new Member(group, "consumer")) {
            member.consumer.subscribe(new SubscriptionPattern(prefix + "-[a-z]"), member);
            until(List.of(member), () -> member.share() == 4);
            created(prefix + "-d", 2);
            until(List.of(member), () -> member.share() == 6);
            admin.deleteTopics(List.of(prefix + "-a")).all().get();
            until(List.of(member), () -> member.share() == 4);
            found.add(member.consumer.subscription().stream().map(it -> it.replace(prefix, "")).sorted().toList());
            found.add(seen(group));
            member.consumer.subscribe(new SubscriptionPattern(prefix + "-b"), member);
            until(List.of(member), () -> member.share() == 2);
            found.add(seen(group));
        }
        return found;
    }

    private Object badPattern() throws Exception {
        try (Member member = new Member(name("group"), "consumer")) {
            member.consumer.subscribe(new SubscriptionPattern("a(?=b)"), member);
            until(List.of(member), () -> member.share() > 0);
            return "assigned";
        }
    }

    private Object grows() throws Exception {
        String topic = topic();
        String group = name("group");
        List<Member> members = new ArrayList<>();
        for (List<Integer> wanted : List.of(List.of(6), List.of(3, 3))) {
            members.add(member(group, topic));
            anyShares(group, members, wanted);
        }
        admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(10))).all().get();
        anyShares(group, members, List.of(5, 5));
        List<Object> found = new ArrayList<>(List.of(owners(members), seen(group)));
        found.add(events(members));
        members.forEach(Member::close);
        return found;
    }

    private Object resubscribes() throws Exception {
        String one = topic();
        String other = topic();
        String group = name("group");
        List<Object> found = new ArrayList<>();
        try (Member member = member(group, one)) {
            shares(group, List.of(member), 6);
            member.to(one, other);
            shares(group, List.of(member), 12);
            member.to(other);
            shares(group, List.of(member), 6);
            found.add(member.consumer.assignment().iterator().next().topic().equals(other));
            found.add(member.events);
            member.consumer.unsubscribe();
            until(List.of(), () -> described(group).members().isEmpty());
            found.add(seen(group));
            found.add(member.events);
            member.to(one);
            shares(group, List.of(member), 6);
            found.add(seen(group));
        }
        return found;
    }

    /** Replace the members of a classic group one by one, and back; nothing is read twice. */
    private Object rolls() throws Exception {
        String topic = topic();
        String group = name("group");
        List<Object> found = new ArrayList<>();
        List<Member> members = new ArrayList<>();
        for (int number = 0; number < 3; number++) {
            members.add(classic(group, topic));
        }
        anyShares(group, members, List.of(2, 2, 2));
        found.add(seen(group));
        Set<String> read = new TreeSet<>();
        int count = 0;
        for (String protocol : List.of("consumer", "classic")) {
            for (int number = 0; number < 3; number++) {
                produce(topic, count, count + 12);
                count += 12;
                int all = count;
                until(members, () -> {
                    members.forEach(each -> read.addAll(each.values));
                    return read.size() == all;
                });
                members.get(0).consumer.commitSync();
                members.remove(0).close();
                for (Member each : members) {
                    each.consumer.commitSync();
                }
                members.add(protocol.equals("classic") ? classic(group, topic) : member(group, topic));
                anyShares(group, members, List.of(2, 2, 2));
                found.add(owners(members));
                found.add(seen(group));
            }
        }
        found.add(offsets(group));
        members.forEach(Member::close);
        found.add(seen(group));
        return found;
    }

    private Member classic(String group, String topic) {
        return new Member(group, "classic", "partition.assignment.strategy",
            "org.apache.kafka.clients.consumer.RangeAssignor").to(topic);
    }

    private Object removed() throws Exception {
        String topic = topic();
        String group = name("group");
        List<Object> found = new ArrayList<>();
        try (Member dynamic = member(group, topic);
                Member fixed = new Member(group, "consumer", "group.instance.id", "a").to(topic)) {
            shares(group, List.of(dynamic, fixed), 3, 3);
            // The client ends with an error if it is removed while it fetches offsets.
            for (Member each : List.of(dynamic, fixed)) {
                each.consumer.assignment().forEach(each.consumer::position);
            }
            found.add(outcome(() -> admin.removeMembersFromConsumerGroup(group,
                new RemoveMembersFromConsumerGroupOptions(List.of(new MemberToRemove("a")))).all().get()));
            found.add(outcome(() -> {
                until(List.of(dynamic, fixed), () -> fixed.events.stream().anyMatch(it -> it.startsWith("lost")));
                shares(group, List.of(dynamic, fixed), 3, 3);
                return List.copyOf(fixed.events.subList(fixed.events.indexOf("lost 3"), fixed.events.size()));
            }));
            found.add(outcome(() -> admin.removeMembersFromConsumerGroup(group,
                new RemoveMembersFromConsumerGroupOptions(List.of(new MemberToRemove("b")))).all().get()));
            found.add(outcome(() -> admin.removeMembersFromConsumerGroup(group,
                new RemoveMembersFromConsumerGroupOptions()).all().get()));
        }
        return found;
    }

    private Object activeGroup() throws Exception {
        String topic = topic();
        String group = name("group");
        TopicPartition partition = new TopicPartition(topic, 0);
        List<Object> found = new ArrayList<>();
        try (Member member = member(group, topic)) {
            shares(group, List.of(member), 6);
            found.add(outcome(() -> admin.alterConsumerGroupOffsets(
                group, Map.of(partition, new OffsetAndMetadata(1))).all().get()));
            found.add(outcome(() -> admin.deleteConsumerGroupOffsets(group, Set.of(partition)).all().get()));
            found.add(outcome(() -> admin.deleteConsumerGroups(List.of(group)).all().get()));
        }
        found.add(outcome(() -> admin.alterConsumerGroupOffsets(
            group, Map.of(partition, new OffsetAndMetadata(1))).all().get()));
        found.add(offsets(group));
        found.add(outcome(() -> admin.deleteConsumerGroupOffsets(group, Set.of(partition)).all().get()));
        found.add(outcome(() -> admin.deleteConsumerGroups(List.of(group)).all().get()));
        found.add(outcome(() -> described(group)));
        return found;
    }

    private Object listed() throws Exception {
        String topic = topic();
        String group = name("group");
        try (Member member = member(group, topic)) {
            shares(group, List.of(member), 6);
            List<String> found = new ArrayList<>();
            for (GroupListing each : admin.listGroups().all().get()) {
                if (each.groupId().equals(group)) {
                    found.add(each.type() + " " + each.protocol() + " " + each.groupState());
                }
            }
            return found;
        }
    }

    private Object killed() throws Exception {
        String topic = topic();
        String group = name("group");
        List<Member> members = List.of(
            member(group, topic), member(group, topic), classic(group, topic));
        anyShares(group, members, List.of(2, 2, 2));
        produce(topic, 0, 60);
        Set<String> read = new TreeSet<>();
        until(members, () -> members.stream().mapToInt(each -> each.values.size()).sum() >= 60);
        members.forEach(each -> each.consumer.commitSync());
        List<List<String>> events = members.stream().map(each -> List.copyOf(each.events)).toList();
        int epoch = described(group).groupEpoch().get();
        System.out.println("coordinator " + described(group).coordinator().id());
        System.out.flush();
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
        produce(topic, 60, 120);
        until(members, () -> {
            members.forEach(each -> read.addAll(each.values));
            return read.size() == 120;
        });
        members.forEach(each -> each.consumer.commitSync());
        until(members, () -> described(group).groupState() == GroupState.STABLE);
        List<Object> found = new ArrayList<>();
        found.add(members.stream().mapToInt(each -> each.values.size()).sum());
        found.add(events.equals(members.stream().map(each -> List.copyOf(each.events)).toList()));
        found.add(described(group).groupEpoch().get() - epoch);
        found.add(seen(group));
        found.add(offsets(group));
        members.forEach(Member::close);
        return found;
    }
}
