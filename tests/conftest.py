"""Hypothesis profiles: `ci` unless LOCKSTEP_PROFILE names another.

`ci` draws the same examples in every run, so a failure is a change and not luck; `wide` draws new
ones, thousands of them, to look for what `ci` misses. A run of `wide` remembers its failures in
`.hypothesis/` and prints how to reproduce each.
"""

import os

from hypothesis import settings

from lockstep.language.nesting import allow_nesting

settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("wide", max_examples=5_000, deadline=None, print_blob=True)
# Hypothesis takes it for a mistake of the test when a model that is loaded in it does so.
allow_nesting()
settings.load_profile(os.environ.get("LOCKSTEP_PROFILE", "ci"))
