"""`python -m lockstep` is the command `lockstep`."""

from lockstep.cli.main import main

main()
