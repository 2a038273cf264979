"""The only folder that holds records: it opens data, charges the ledger, counts, and asks for noise."""
