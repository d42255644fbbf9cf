// A client for "minikafka verify --client-command": kafkajs; see docs/any-client.md.
//
//   npm install && minikafka verify --seconds 10 --client-command 'node client.js'

import { createInterface } from "node:readline";
import { CompressionTypes, Kafka, logLevel } from "kafkajs";

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { properties } = JSON.parse((await lines.next()).value);
if (!["none", "gzip"].includes(properties["compression.type"])) {
  throw new Error("kafkajs needs a package for each other codec than gzip");
}
const compression = properties["compression.type"] === "gzip" ? CompressionTypes.GZIP : CompressionTypes.None;
const acks = properties.acks === "all" ? -1 : Number(properties.acks);
const producer = new Kafka({
  brokers: properties["bootstrap.servers"].split(","),
  clientId: properties["client.id"],
  requestTimeout: 10_000,
  logLevel: logLevel.WARN,
  logCreator: () => ({ log }) => console.error(log.message, log.error ?? ""), // not to standard output
}).producer({
  idempotent: properties["enable.idempotence"] === "true",
  maxInFlightRequests: 1,
  retry: { retries: 100, maxRetryTime: 2_000 },
});
await producer.connect();

let waiting = [];
let ended = false;

const write = (outcome) => process.stdout.write(JSON.stringify(outcome) + "\n");

function message(record) {
  const headers = Object.fromEntries(record.headers.map(([name, value]) => [name, Buffer.from(value, "base64")]));
  return {
    partition: record.partition,
    key: Buffer.from(record.key, "base64"),
    value: Buffer.from(record.value, "base64"),
    headers,
    timestamp: String(record.timestamp),
  };
}

// One batch to one partition, so that its base offset gives the offset of each record.
async function send(records) {
  const { topic, partition } = records[0];
  try {
    const [done] = await producer.send({ topic, acks, compression, messages: records.map(message) });
    const first = Number(done?.baseOffset ?? -1);
    records.forEach(({ id }, place) => write({ id, partition, offset: first < 0 ? -1 : first + place }));
  } catch (error) {
    records.forEach(({ id }) => write({ id, error: String(error.message), definite: false }));
  }
}

async function sendAll() {
  while (!ended || waiting.length) {
    const batches = new Map();
    for (const record of waiting.splice(0, 2_000)) {
      const name = `${record.topic}/${record.partition}`;
      batches.set(name, [...(batches.get(name) ?? []), record]);
    }
    await Promise.all([...batches.values()].map(send));
    await new Promise((resume) => setTimeout(resume, 5));
  }
}

const sending = sendAll();
for await (const line of lines) {
  waiting.push(JSON.parse(line));
}
ended = true;
await sending;
await producer.disconnect();
