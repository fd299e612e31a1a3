"""`matrix`: each requirement, how it is answered, and by what."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from lockstep.answers.answer import Answer
from lockstep.errors import LockstepError
from lockstep.requests.option import choose
from lockstep.requests.others import MatrixRequest
from lockstep.specs.kip import Requirement
from lockstep.specs.matrix import Matrix, build_matrix
from lockstep.workspace import find_workspace

__all__ = ["Matrix", "MatrixRequest", "matrix"]


def matrix(request: MatrixRequest = MatrixRequest()) -> Matrix:
    """Look up every reference between requirements and models.

    `LockstepError` for a model or a file that cannot be loaded, and where there are no
    requirements.
    """
    workspace = request.workspace or find_workspace()
    names = choose(request.models, workspace)
    result = build_matrix(workspace.root, names, every_file=not request.models)
    if not result.kips:
        raise LockstepError(
            f"{', '.join(names)}: there are no requirements",
            cure='write `requirements = ["kip_N"]` in [model] of specs/MODEL.toml',
        )
    return result


def requirement_answers(result: Matrix) -> Iterator[Answer]:
    """The answer about each requirement; its verdict is the kind of answer that it has."""
    for kip in result.kips:
        for row in kip.requirements:
            yield Answer(
                kind="matrix",
                scope=kip.file.stem,
                verdict=str(result.answers[row.id]),
                because=row.unanswerable or "",
                details=dict(_texts(row)),
            )


def _texts(row: Requirement) -> Iterator[tuple[str, object]]:
    """The fields of a requirement, its references as the texts that they are."""
    for name, value in msgspec.structs.asdict(row).items():
        yield name, tuple(map(str, value)) if isinstance(value, tuple) else value
