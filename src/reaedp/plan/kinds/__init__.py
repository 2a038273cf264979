"""The kinds of release that a plan can ask for, each with the keys that it understands."""
