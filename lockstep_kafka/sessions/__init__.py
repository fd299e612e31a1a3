"""Fetch sessions as a request log shows them: what is known of both sides, and what explains it."""
