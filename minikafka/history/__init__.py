"""The operations of clients, and checks for anomalies in them: pure functions over lists."""
