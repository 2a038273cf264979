"""The durable budget: entries, transactions, storage and its verification. It knows losses, and nothing above them."""
