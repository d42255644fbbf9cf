"""The loads, measurements, targets and report of `minikafka bench`."""
