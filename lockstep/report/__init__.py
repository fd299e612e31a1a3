"""How each answer is shown: the blocks of its page, and its JSON."""
