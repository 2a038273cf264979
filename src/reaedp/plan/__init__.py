"""What is wanted and what it will cost: plans, their kinds, requests, forecasts, advice and calibration."""
