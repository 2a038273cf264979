"""Means, covariances, correlations and linear regressions, all from sums of values and of their products."""
