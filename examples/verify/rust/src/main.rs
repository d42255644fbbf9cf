// A client for "minikafka verify --client-command": rdkafka, which is librdkafka; see
// docs/any-client.md.
//
//   cargo build --release && minikafka verify --seconds 10 --client-command target/release/client

use base64::{Engine, engine::general_purpose::STANDARD};
use rdkafka::ClientContext;
use rdkafka::config::ClientConfig;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::{Header, Message, OwnedHeaders};
use rdkafka::producer::{BaseRecord, DeliveryResult, Producer, ProducerContext, ThreadedProducer};
use serde_json::{Value, json};
use std::io::{BufRead, stdin};
use std::time::Duration;

struct Outcomes;

impl ClientContext for Outcomes {}

impl ProducerContext for Outcomes {
    type DeliveryOpaque = Box<i64>;

    fn delivery(&self, result: &DeliveryResult<'_>, id: Box<i64>) {
        match result {
            Ok(message) => println!(
                "{}",
                json!({"id": id, "partition": message.partition(), "offset": message.offset(),
                       "timestamp": message.timestamp().to_millis()})
            ),
            Err((error, _)) => write_error(*id, error),
        }
    }
}

fn write_error(id: i64, error: &KafkaError) {
    let definite = error.rdkafka_error_code() == Some(RDKafkaErrorCode::MessageSizeTooLarge);
    println!(
        "{}",
        json!({"id": id, "error": error.to_string(), "definite": definite})
    );
}

fn bytes(value: &Value) -> Vec<u8> {
    STANDARD
        .decode(value.as_str().expect("base64"))
        .expect("base64")
}

fn main() {
    let mut lines = stdin()
        .lock()
        .lines()
        .map(|line| line.expect("standard input"));
    let settings: Value = serde_json::from_str(&lines.next().expect("settings")).expect("JSON");
    let mut config = ClientConfig::new();
    for (name, value) in settings["properties"].as_object().expect("properties") {
        config.set(name, value.as_str().expect("text"));
    }
    config.set(
        "message.max.bytes",
        settings["message_max_bytes"].to_string(),
    );
    config.set("linger.ms", "5");
    let producer: ThreadedProducer<Outcomes> =
        config.create_with_context(Outcomes).expect("producer");
    for line in lines {
        let record: Value = serde_json::from_str(&line).expect("JSON");
        let id = record["id"].as_i64().expect("id");
        let (key, value) = (bytes(&record["key"]), bytes(&record["value"]));
        let mut headers = OwnedHeaders::new();
        for header in record["headers"].as_array().expect("headers") {
            let key = header[0].as_str().expect("name");
            headers = headers.insert(Header {
                key,
                value: Some(&bytes(&header[1])),
            });
        }
        let sent =
            BaseRecord::with_opaque_to(record["topic"].as_str().expect("topic"), Box::new(id))
                .partition(record["partition"].as_i64().expect("partition") as i32)
                .timestamp(record["timestamp"].as_i64().expect("timestamp"))
                .key(&key)
                .payload(&value)
                .headers(headers);
        if let Err((error, _)) = producer.send(sent) {
            write_error(id, &error);
        }
    }
    producer.flush(Duration::from_secs(90)).expect("flush");
}
