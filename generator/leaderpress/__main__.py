"""`python -m leaderpress`."""

from .cli import main

main()
