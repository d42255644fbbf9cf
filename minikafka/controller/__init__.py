"""The active controller: state machines that turn requests into metadata records."""
