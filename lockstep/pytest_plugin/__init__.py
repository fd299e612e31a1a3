"""What a workspace claims, as items of pytest."""
