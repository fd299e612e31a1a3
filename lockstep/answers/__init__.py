"""What comes of a question, one shape for every verb, and where answers are kept."""
