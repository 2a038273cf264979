"""Pictures as tables of pixels."""
