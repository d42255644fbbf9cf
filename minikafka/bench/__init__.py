"""What `minikafka bench` measures, how, and against which clusters."""
