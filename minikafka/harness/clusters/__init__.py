"""The clusters under test. Only this package knows minikafka's files and debug hooks."""
