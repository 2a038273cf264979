"""Released numbers in the hands of Python people: frames of three libraries, a table, a small chart."""
