"""A lock with leases as a program might have it. It has a bug, which `lockstep drive` finds."""


class Lock:
    """A lock that one client has at a time, for so many ticks of a clock."""

    def __init__(self, ticks: int) -> None:
        self.ticks = ticks
        self.now = 0
        self.client: str | None = None
        self.until = 0

    def acquire(self, client: str) -> bool:
        """Get the lock if nobody has it."""
        if self.client is not None and self.now < self.until:
            return False
        self.client, self.until = client, self.now + self.ticks
        return True

    def renew(self, client: str) -> bool:
        """Have the lock for longer."""
        if self.client != client:
            return False
        self.until = self.now + self.ticks
        return True
