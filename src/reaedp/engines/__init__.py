"""From somebody's storage to canonical values and counts: files, frames, databases and Spark, by the same rules."""
