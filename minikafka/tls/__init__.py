"""TLS for nodes and tools: keys and certificates from their files, and contexts made of them."""
