"""The curator, the only way to records: it decides whose rows count, charges the ledger, counts, and asks for noise."""
