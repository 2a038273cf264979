"""Mechanisms: which noise hides a given sensitivity, and at what price. The only folder that draws noise."""
