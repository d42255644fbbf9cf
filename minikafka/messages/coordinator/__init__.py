"""Records of the coordinators' topics, generated from `schemas/coordinator`."""
