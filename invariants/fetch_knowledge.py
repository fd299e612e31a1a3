"""What a fetcher learns of a partition, for what must hold of fetch sessions and of their draft."""


def is_learned(answer, before, after):
    """After an answer the fetcher knows what it says, and that records came; without one it knows
    what it knew."""
    return (
        after == before
        if answer is None
        else after is not None
        and after.high_watermark == answer.high_watermark
        and after.log_start_offset == answer.log_start_offset
        and after.records == (answer.records or (before is not None and before.records))
    )
