"""The clusters of a run. Only this package knows minikafka's own files and debug hooks."""
