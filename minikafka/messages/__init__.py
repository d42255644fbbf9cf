"""Generated messages: every request, response and record of the protocol."""
