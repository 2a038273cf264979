"""Entropies of columns: exact, from noisy counts, and the better of both; how far one unit moves each."""
