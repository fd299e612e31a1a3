"""`matrix`: each requirement, how it is answered, and by what."""

from __future__ import annotations

from dataclasses import dataclass

from lockstep.errors import ExitCode, LockstepError
from lockstep.requests.models import choose
from lockstep.requests.others import MatrixRequest
from lockstep.specs.matrix import Matrix, build_matrix
from lockstep.workspace import find_workspace

__all__ = ["MatrixRequest", "MatrixResult", "matrix"]


@dataclass(frozen=True)
class MatrixResult:
    """The requirements, and what is wrong with the references between them and the models."""

    matrix: Matrix

    @property
    def exit_code(self) -> int:
        """1 where a reference leads nowhere, or only one side has it."""
        return int(ExitCode.VIOLATED if self.matrix.problems else ExitCode.HOLDS)


def matrix(request: MatrixRequest = MatrixRequest()) -> MatrixResult:
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
    return MatrixResult(result)
