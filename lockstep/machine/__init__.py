"""Machine code: how a model becomes it, and the search that runs it."""
