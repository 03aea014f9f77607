"""Texts as vectors, made on the device by a quantised model."""
