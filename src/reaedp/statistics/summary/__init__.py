"""Counts, sums, means, variances and rates of columns, by groups, at the price of a count."""
