"""`python -m tests.agreement.block N [JUDGE...]`: draw the models of one seed and judge each.

Prints the census as one line of JSON. At a difference it ends with 1, and the smallest model that
Hypothesis finds stands on stderr, as text to paste into a test.
"""

from __future__ import annotations

import sys
import tempfile
import traceback
from collections.abc import Iterable, Sequence
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings

from lockstep.language.source import ModelError
from lockstep.machine.code.layout import NotCompiled
from tests.agreement.census import Census, digest_of
from tests.agreement.judges import JUDGES, Judge, Judged
from tests.random_models.random_models import RandomModel, random_models

DRAWN = 50
"""How many models are drawn for one seed."""


def judge_block(number: int, judges: Sequence[Judge]) -> Census:
    """Let some judges judge the models of a seed; what Hypothesis raises at a difference."""
    census = Census()

    @seed(number)
    @settings(
        max_examples=DRAWN,
        database=None,
        deadline=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    @given(text=random_models())
    def judge(text: RandomModel) -> None:
        judge_model(text, census, judges)

    judge()
    return census


def judge_model(
    text: RandomModel,
    census: Census,
    judges: Iterable[Judge] = JUDGES.values(),
) -> None:
    """Hold one model before some judges, unless it was there already."""
    census.counts["drawn"] += 1
    digest = digest_of(repr(text))
    if digest in census.compared:
        return
    with tempfile.TemporaryDirectory(prefix="lockstep-agreement-") as folder:
        judged = Judged(text, Path(folder), census.counts)
        try:
            program = judged.case.program
        except ModelError:
            census.counts["refused when loaded"] += 1
            return
        except NotCompiled:
            census.counts["without machine code"] += 1
            return
        for judge in judges:
            judge(judged)
        census.measure(judged.model, program.layout.words)
        census.compared.add(digest)


def main() -> int:
    """Judge the block that the command line names."""
    try:
        number, *names = sys.argv[1:]
        census = judge_block(int(number), [JUDGES[name] for name in names or JUDGES])
    except Exception:
        traceback.print_exc()
        return 1
    print(census.as_json())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
