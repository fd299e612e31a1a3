"""The oracle: plain Python runs a model, searches its states, and judges liveness."""
