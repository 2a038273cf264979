"""Quantiles and distribution functions of one column, by groups."""
