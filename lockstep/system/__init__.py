"""The operating system: child processes, signals, memory, files and the cache."""
