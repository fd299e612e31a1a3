"""What tests of models are made of: strategies and state machines for Hypothesis."""
