"""Charts of released numbers as Vega-Lite specifications; whatever they show went through noise or was public."""
