"""Files of our own on this machine: folders that a killed process does not leave behind, locks, the embedded engine."""
