"""First contracts and first plans: from names, words, codebooks and public files, and never from private rows."""
