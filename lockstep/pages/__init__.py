"""Pages: blocks of a text, and how they are written for readers and machines."""
