"""The engine for Spark: reading, canonical values and counting in Spark's own expressions."""
