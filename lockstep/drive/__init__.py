"""Running software in step with a model: what it does must be what the model may do."""
