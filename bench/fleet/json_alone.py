"""`python -m bench.fleet.json_alone FILES`: Python's own JSON reader on each line, and no more."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

_MARKER = b"Completed request:"


def main(files: Sequence[str]) -> None:
    """Decode the object of each line, and print how many there were."""
    count = 0
    for name in files:
        with open(name, "rb") as file:
            for line in file:
                _, marker, text = line.partition(_MARKER)
                if marker:
                    # The layout that Kafka ships prints the logger's name behind the object.
                    json.loads(text[: text.rindex(b"}") + 1])
                    count += 1
    print(count)


if __name__ == "__main__":
    main(sys.argv[1:])
