"""The comparison of synthesizers: tables, measures, and the file of runs."""
