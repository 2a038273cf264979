"""Statistics: what is counted, how far one unit can move it, and what may be derived from a release."""
