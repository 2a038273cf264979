"""A finished release beside the truth: utility and attacks, for the custodian alone unless the data are public."""
