"""What sees truth and release together: utility, attacks, audits. Custodian only unless the data are public."""
