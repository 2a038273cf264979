"""Rates: shares of rows that meet a condition, and ratios of two columns' sums, at the price of a count."""
