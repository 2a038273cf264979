"""A module for each step of the journey: what its page shows, and what its forms do."""
