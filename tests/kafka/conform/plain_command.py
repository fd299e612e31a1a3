"""The command `lockstep` with the plain follower and the plain simulator."""

from lockstep.cli.main import main
from tests.kafka.conform.plain import follow_plainly, simulate_plainly

if __name__ == "__main__":
    follow_plainly(setattr)
    simulate_plainly(setattr)
    main()
