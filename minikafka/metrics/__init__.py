"""The catalogue of metrics, by Kafka's names."""
