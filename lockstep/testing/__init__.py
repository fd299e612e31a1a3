"""What tests of models are made of: strategies and state machines for Hypothesis."""

from lockstep.language.source import allow_nesting

# Hypothesis takes it for a mistake of the test when a model that is loaded in it does so.
allow_nesting()
