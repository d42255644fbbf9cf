"""Replicas on a broker: leaders, followers, ISR and high watermark."""
