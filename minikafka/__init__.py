"""minikafka: a Kafka-compatible broker and controller."""
