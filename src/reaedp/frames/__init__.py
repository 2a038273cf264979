"""Released numbers in the hands of people: frames of three libraries, a table, a small chart, numbers in writing."""
