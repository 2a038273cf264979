"""Evidence about promises: mechanisms run on made-up neighbours, and counts of how well these are told apart."""
