"""Writes the log of one broker by the plain simulator, as a program of its own."""

from lockstep_kafka.verbs.simulate import main
from tests.kafka.conform.plain import simulate_plainly

if __name__ == "__main__":
    simulate_plainly(setattr)
    main()
