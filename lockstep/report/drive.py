"""How it is shown what came of driving software: what was done, and how it departs."""

from __future__ import annotations

from collections.abc import Iterator

from lockstep.drive.departure import render_departure
from lockstep.drive.driving import WORDS
from lockstep.pages.blocks import Block, Lines, Paragraph
from lockstep.trace.render import Line
from lockstep.verbs.drive import Driven
from lockstep.words import plural, shown_path
from lockstep.workspace import option_for


def drive_blocks(driven: Driven) -> Iterator[Block]:
    """The verdict, what was done and what was not, and a departure with its test."""
    result, departed = driven.run, driven.run.departed
    word = WORDS.get(driven.verdict, str(driven.verdict))
    reason = f": {result.because}" if result.because else ""
    software = f" ({driven.software})" if driven.software else ""
    title = f"{driven.version}, scope {driven.scope}, {driven.driver}{software}: {word}{reason}"
    yield Paragraph(title, str(driven.verdict))
    yield Lines(tuple(_done(driven)), margin=2)
    if departed is None:
        return
    last = departed.shown
    yield Paragraph("")
    yield Lines(tuple(render_departure(driven.model, departed.departure, last)), "The departure")
    if driven.saved.file is not None:
        file = shown_path(driven.saved.file)
        yield Paragraph(f"saved up to there to {file}")
        root = option_for(driven.version.workspace.root)
        yield Paragraph(f"walk through it with  lockstep replay {file}{root}")
    else:
        yield Paragraph(f"not saved: {driven.saved.why_not}")
    if driven.test is not None:
        yield Paragraph("as a test:\n")
        yield Lines(tuple(map(Line, driven.test.rstrip().split("\n"))), "As a test", margin=0)


def _done(driven: Driven) -> Iterator[Line]:
    result = driven.run
    if result.graph is not None:
        done = f"{len(result.covered.done):,} of {result.graph.chosen:,}"
        what = "pairs      " if result.graph.in_pairs else "transitions"
        yield Line(f"  {what}   {done} done")
        for reason, count in ({} if result.departed else result.not_done).items():
            yield Line(f"                {count:,} {reason}")
    taken = f"{plural(result.steps, 'step')}, {plural(result.resets, 'reset')}"
    if result.behaviours is not None:
        taken = f"{plural(result.behaviours, 'random behaviour')} (seed {driven.seed}), {taken}"
    yield Line(f"  driven        {taken}, {result.seconds:.2f} s")
    for name, why in driven.following.stimuli.never.items():
        yield Line(f"  never         {name}: {why}")
    if result.unobserved:
        yield Line(f"  not observed  {', '.join(result.unobserved)}")
