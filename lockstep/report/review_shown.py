"""What `review` says of functions that show a value in place of a variable."""

from __future__ import annotations

from collections.abc import Iterator

from lockstep.review.pair import Pair
from lockstep.words import place_text


def shown_lines(pair: Pair) -> Iterator[str]:
    """A line for each such function whose value is compared."""
    for title, model in (("BASE", pair.one), ("HEAD", pair.other)):
        root = model.universe.root
        for shown in model.shown:
            if shown.name in pair.shared:
                definition = model.universe.definition(shown.function)
                assert definition is not None
                node, file = definition
                place = place_text(file, node.lineno, root)
                yield f"{title} shows {shown.name} by a function: {place}"
