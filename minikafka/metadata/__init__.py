"""The cluster's metadata: image, replay, delta, snapshot."""
