"""Behaviours kept and shown: ITF files, what changed in each step, replays, tests to paste."""
