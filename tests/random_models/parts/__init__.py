"""How a random model is written: what is drawn, what it is called, and which text is well typed."""
