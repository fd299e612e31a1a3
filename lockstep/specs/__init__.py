"""What is asked of the models and known of them: requirements, scopes, pinned results."""
