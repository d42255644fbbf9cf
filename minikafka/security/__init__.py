"""The identity of clients, their logins, and what they may do."""
