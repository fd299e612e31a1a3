"""What a number of random models came to: how many, how large, what of them was judged."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lockstep.language.model import Model


@dataclass
class Census:
    """Counts by what was seen, the largest sizes, and the digests of the models compared."""

    counts: Counter[str] = field(default_factory=Counter)
    largest: Counter[str] = field(default_factory=Counter)
    compared: set[str] = field(default_factory=set)

    def add(self, other: Census) -> None:
        """Count another census with this one; a model in both is one model."""
        self.counts += other.counts
        self.largest |= other.largest
        self.compared |= other.compared

    def measure(self, model: Model, words: int) -> None:
        """Remember how large a model is."""
        self.largest |= Counter(
            {
                "variables": len(model.variables),
                "actions": len(model.actions),
                "claims": len(model.properties),
                "words": words,
            }
        )

    def as_json(self) -> str:
        """The census as one line."""
        return json.dumps(
            {
                "counts": self.counts,
                "largest": self.largest,
                "compared": sorted(self.compared),
            }
        )

    @classmethod
    def of_json(cls, line: str) -> Census:
        """The census in a line; `ValueError` or `KeyError` where it has none."""
        document = json.loads(line)
        return cls(
            Counter(document["counts"]), Counter(document["largest"]), set(document["compared"])
        )

    def lines(self) -> Iterator[str]:
        """The census for a reader."""
        yield f"{len(self.compared):>9,}  different models compared"
        for name, count in sorted(self.counts.items()):
            yield f"{count:>9,}  {name}"
        sizes = ", ".join(f"{count} {name}" for name, count in sorted(self.largest.items()))
        yield f"largest: {sizes or 'none'}"


def digest_of(text: str) -> str:
    """A few letters by which a text is known."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def digest_of_tree(root: Path) -> str:
    """The same of all code that a judgement depends on."""
    files = sorted(
        file
        for part in ("lockstep", "tests/agreement")
        for file in (root / part).rglob("*.py")
        if file.is_file()
    )
    texts = (f"{file.relative_to(root)}\n{file.read_text('utf-8')}" for file in files)
    return digest_of("\n".join(texts))
