"""What all benchmarks share: a stopwatch, tables, rows of the results, peers in environments of their own."""
