"""The verbs `conform` and `simulate` of the command line, which finds them by entry points."""
