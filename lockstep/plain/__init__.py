"""The oracle: plain Python runs a model, searches its states, and judges what comes to pass."""
