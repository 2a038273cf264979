"""The paper's figures and tables, one file each: what it claims, what we measure, the verdict."""
