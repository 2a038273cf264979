"""Questions to a release folder: answers from released numbers alone, with intervals that know their noise."""
