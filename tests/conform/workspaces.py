"""Workspaces of tests in which logs can be followed and simulated."""

from pathlib import Path

FOLLOWER = Path(__file__).with_name("plain_follower.py")
SIMULATOR = Path(__file__).with_name("plain_simulator.py")


def add_follower(root: Path, model: str, text: str | None = None) -> None:
    """Give a model a follower: the plain one unless another text is given."""
    _add(root / "models" / "observed" / f"{model}.py", FOLLOWER, text)


def add_simulator(root: Path, model: str, text: str | None = None) -> None:
    """Give a model a simulator: the plain one unless another text is given."""
    _add(root / "models" / "simulated" / f"{model}.py", SIMULATOR, text)


def _add(file: Path, plain: Path, text: str | None) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text(plain.read_text("utf-8") if text is None else text, encoding="utf-8")
