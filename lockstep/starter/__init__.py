"""The files that a workspace, or a protocol of one, begins with: `templates/`, and their copies."""
