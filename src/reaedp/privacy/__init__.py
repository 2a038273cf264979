"""The mathematics of privacy loss: units, sensitivities, losses, composition, filters. No storage, no records."""
