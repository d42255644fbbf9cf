"""Addresses of servers as text."""


def server_text(host: str, port: int) -> str:
    """Return an address as in bootstrap.servers: IPv6 addresses are in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
