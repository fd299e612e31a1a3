"""What following a fleet's logs costs, beside reading the same JSON and doing nothing with it."""
