"""PySpark reads a topic as a stream: `python stream_with_pyspark.py`.

Needs `pip install 'minikafka[verify]'` and Java 17; Spark resolves its Kafka connector by itself.
"""

from pyspark.sql import SparkSession

from minikafka.testing import Cluster

CONNECTOR = "org.apache.spark:spark-sql-kafka-0-10_2.13:4.0.0"


def main() -> None:
    """Write three records, read them as a stream, and print them."""
    with Cluster(nodes=1) as cluster:
        cluster.create_topic("orders")
        cluster.produce("orders", "first", "second", "third")
        spark = SparkSession.builder.config("spark.jars.packages", CONNECTOR).getOrCreate()
        rows = (
            spark.readStream.format("kafka")
            .option("kafka.bootstrap.servers", cluster.bootstrap_servers)
            .option("subscribe", "orders")
            .option("startingOffsets", "earliest")
            .load()
            .selectExpr("offset", "cast(value as string)")
        )
        query = rows.writeStream.format("console").trigger(availableNow=True).start()
        query.awaitTermination()
        spark.stop()


if __name__ == "__main__":
    main()
