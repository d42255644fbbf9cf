"""minikafka: a Kafka-compatible broker and controller."""

__version__ = "0.1.0"
