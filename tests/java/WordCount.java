import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Produced;

/**
 * Counts the digits of numbers with exactly_once_v2: each new count goes to the output topic.
 *
 *     java WordCount SERVERS INPUT OUTPUT APPLICATION STATE_DIRECTORY      until it is killed
 */
public class WordCount {
    public static void main(String[] arguments) throws Exception {
        Properties values = new Properties();
        values.put("bootstrap.servers", arguments[0]);
        values.put("application.id", arguments[3]);
        values.put("state.dir", arguments[4]);
        values.put("processing.guarantee", StreamsConfig.EXACTLY_ONCE_V2);
        values.put("commit.interval.ms", 200);
        values.put("statestore.cache.max.bytes", 0);
        values.put("replication.factor", 3);
        values.put("num.stream.threads", 2);
        values.put("topology.optimization", "none");
        values.put("consumer.auto.offset.reset", "earliest");
        values.put("consumer.session.timeout.ms", 10_000);
        values.put("producer.transaction.timeout.ms", 30_000);

        StreamsBuilder builder = new StreamsBuilder();
        builder.stream(arguments[1], Consumed.with(Serdes.String(), Serdes.String()))
            .flatMapValues(WordCount::digits)
            .groupBy((key, digit) -> digit, Grouped.with(Serdes.String(), Serdes.String()))
            .count()
            .toStream()
            .mapValues(count -> Long.toString(count))
            .to(arguments[2], Produced.with(Serdes.String(), Serdes.String()));
        KafkaStreams streams = new KafkaStreams(builder.build(), values);
        streams.setUncaughtExceptionHandler(error -> {
            System.out.println("replaces a thread after " + error);
            return StreamThreadExceptionResponse.REPLACE_THREAD;
        });
        streams.setStateListener((now, before) -> System.out.println("state " + now));
        streams.start();
    }

    private static List<String> digits(String number) {
        List<String> found = new ArrayList<>();
        number.chars().forEach(each -> found.add(String.valueOf((char) each)));
        return found;
    }
}
