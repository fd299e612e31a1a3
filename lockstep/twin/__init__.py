"""The second opinion: TLC run on a hand-written TLA+ twin, and what it found read back."""
