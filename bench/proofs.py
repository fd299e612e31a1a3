"""Writes docs/proofs.md: `python -m bench.proofs` makes all proofs once by the command.

Each proof runs alone, in a process of its own, so that none waits for another.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import z3

from lockstep.language.model import model_names
from lockstep.specs.scopes import ProofScope, load_model_spec

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "proofs.md"

HEAD = """\
# Proofs

What `lockstep prove` proves, and how long it took: `python -m bench.proofs` made each proof once,
one after the other, with Z3 {version} on {cores} cores, and wrote this page; `lockstep prove MODEL`
prints a line for each property. What a proof says and what not is in
[Prove at real widths](how-to/prove.md). A property is proved for behaviours of any
length, by induction over one step; what is not proved was looked for in all behaviours of so many
steps. Sizes that are listed (partitions, slots, voters, records of a log) are part of each proof.
Where a constant may list any number of names, the model was proved with one, with two and so on up
to the number from which on more make no difference.

`make verify` asks cvc5 the same questions, an action and a property at a time, and has to hear the
same answer to each.

| model | proof | proved | what, and how wide | seconds |
|---|---|---|---|---|
"""


def main() -> int:
    """Make all proofs and write the page; 1 if one does not come out as specified."""
    parser = argparse.ArgumentParser(prog="python -m bench.proofs", description=__doc__)
    parser.parse_args()
    proofs = []
    for model in model_names(ROOT):
        for proof in load_model_spec(ROOT, model).proofs.values():
            row = proof_row(model, proof.name)
            print(f"{model} {proof.name}: {row['verdict']}, {row['seconds']:.1f} s", flush=True)
            proofs.append((proof, row))
    PAGE.write_text(page(proofs), encoding="utf-8")
    return int(any(row["verdict"] != "holds" for _, row in proofs))


def proof_row(model: str, proof: str) -> dict[str, Any]:
    """What the command says of one proof."""
    asked = ["prove", model, "--proof", proof, "--json", "--no-cache"]
    command = [sys.executable, "-m", "lockstep", *asked]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if not ran.stdout:
        raise SystemExit(f"{' '.join(command)}: {ran.stderr}")
    (row,) = json.loads(ran.stdout)["results"]
    return dict(row)


def page(proofs: list[tuple[ProofScope, dict[str, Any]]]) -> str:
    """The page: a row a proof, and the properties that are not proved."""
    lines = [HEAD.format(version=z3.get_version_string(), cores=os.cpu_count()).rstrip("\n")]
    for proof, row in proofs:
        purpose = " ".join(proof.purpose.split())
        lines.append(
            f"| {row['model']} | {proof.name} | {row['judged'].replace('/', ' of ')} "
            f"| {purpose} | {row['seconds']:.1f} |"
        )
    total = sum(row["seconds"] for _, row in proofs)
    lines += ["", f"Together {total:.0f} s. Not proved:", ""]
    lines += [
        _open(row, prop)
        for _, row in proofs
        for prop in row["details"]["properties"]
        if not prop["proved"]
    ]
    return "\n".join(lines) + "\n"


def _open(row: dict[str, Any], prop: dict[str, Any]) -> str:
    """A property that is not proved, why, and how far it was searched for."""
    why = prop["excused"] or prop["because"]
    line = f"- {row['model']}, proof {row['scope']}: `{prop['name']}`. {why}"
    if prop["searched"] and row["details"]["bounded"] is not None:
        return f"{line} It holds up to {row['details']['bounded']['covered']} steps."
    return line


if __name__ == "__main__":
    sys.exit(main())
