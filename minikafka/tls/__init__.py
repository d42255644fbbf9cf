"""TLS for nodes and tools: keys, certificates and tokens from their files, and contexts of TLS."""
