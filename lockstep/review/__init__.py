"""What a change changes: two versions of a model, compared."""
