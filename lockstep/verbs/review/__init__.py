"""`review`: what a change changes, from scope to scope, and what is lost with it."""
