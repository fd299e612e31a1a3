"""Follow what a running system did through a model, and say where it first departs."""
