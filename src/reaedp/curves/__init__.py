"""Mean curves: functions of time averaged as vectors of coefficients."""
