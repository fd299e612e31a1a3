"""What is asked of each verb: its options, for Python and for the command line alike."""
