// Writes a record to `minikafka dev`, and reads it again: cargo run
use std::collections::BTreeMap;

use rskafka::client::partition::{Compression, UnknownTopicHandling};
use rskafka::client::ClientBuilder;
use rskafka::record::Record;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let servers = std::env::var("MINIKAFKA_BOOTSTRAP_SERVERS")
        .unwrap_or_else(|_| "127.0.0.1:19092".to_owned());
    let servers = servers.split(',').map(str::to_owned).collect();
    let topic = "hello-from-rust";
    let client = ClientBuilder::new(servers).build().await?;

    let known = client.list_topics().await?;
    if !known.iter().any(|each| each.name == topic) {
        let replicas = 1;
        client.controller_client()?.create_topic(topic, 1, replicas, 5_000).await?;
    }
    let partition = client.partition_client(topic, 0, UnknownTopicHandling::Retry).await?;
    let record = Record {
        key: None,
        value: Some(b"hello".to_vec()),
        headers: BTreeMap::new(),
        timestamp: chrono::DateTime::from_timestamp_millis(0).unwrap(),
    };
    let written = partition.produce(vec![record], Compression::NoCompression).await?;
    let (records, _) = partition.fetch_records(written[0], 1..1_000_000, 5_000).await?;
    for each in records {
        let value = String::from_utf8(each.record.value.unwrap_or_default())?;
        println!("{topic}-0@{}: {value}", each.offset);
    }
    Ok(())
}
