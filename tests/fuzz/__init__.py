"""Generated inputs of every format, and the laws that each of them must obey when it is released."""
