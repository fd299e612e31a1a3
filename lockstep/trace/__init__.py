"""Behaviours kept and shown: ITF files, what a reader sees of them, and tests made of them."""
