"""What a change changes: two versions of a model, held against each other."""
