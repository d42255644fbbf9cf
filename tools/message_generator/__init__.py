"""Turns `schemas/` into `minikafka/messages/`: parse, check, emit."""
