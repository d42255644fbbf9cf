"""The work and output of the commands, one module for each (Kafka: `org.apache.kafka.tools`).

`minikafka.cli` parses the command lines, and calls these modules.
"""
