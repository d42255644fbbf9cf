// Writes a record to `minikafka dev`, and reads it again: npm install && node main.js
const { Kafka, logLevel } = require("kafkajs");

const servers = process.env.MINIKAFKA_BOOTSTRAP_SERVERS || "127.0.0.1:19092";
const topic = "hello-from-node";

async function main() {
  const kafka = new Kafka({ brokers: servers.split(","), logLevel: logLevel.ERROR });
  const admin = kafka.admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic, numPartitions: 1 }] });
  await admin.disconnect();

  const producer = kafka.producer();
  await producer.connect();
  await producer.send({ topic, acks: -1, messages: [{ value: "hello" }] });
  await producer.disconnect();

  const consumer = kafka.consumer({ groupId: "readers" });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await new Promise((resolve) => {
    consumer.run({
      eachMessage: async ({ partition, message }) => {
        console.log(`${topic}-${partition}@${message.offset}: ${message.value}`);
        resolve();
      },
    });
  });
  await consumer.disconnect();
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
