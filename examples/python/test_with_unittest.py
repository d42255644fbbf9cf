"""unittest: the cluster is a context manager."""

import unittest

from confluent_kafka import Producer

from minikafka.testing import Cluster


class OrdersTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = cls.enterClassContext(Cluster(nodes=1))

    def test_what_is_sent_is_there(self):
        self.cluster.create_topic("orders")
        producer = Producer({"bootstrap.servers": self.cluster.bootstrap_servers})
        producer.produce("orders", b"hello")
        self.assertEqual(producer.flush(10), 0)
        self.assertEqual([record.value for record in self.cluster.records("orders")], [b"hello"])
