"""Synthetic records: a model learned with noise, and mechanism F; through the curator only."""
