"""What adversaries achieve against a release, with control group, blind guess and what the promise permits."""
