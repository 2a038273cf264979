"""`python -m reaedp` is the command line."""

from reaedp.cli import main

main()
