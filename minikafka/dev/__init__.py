"""The clusters that `minikafka dev` starts on this machine."""
