"""Workspaces of tests in which logs can be followed."""

from pathlib import Path

FOLLOWER = Path(__file__).with_name("plain_follower.py")


def add_follower(root: Path, model: str, text: str | None = None) -> None:
    """Give a model a follower: the plain one unless another text is given."""
    file = root / "models" / "observed" / f"{model}.py"
    file.parent.mkdir(exist_ok=True)
    file.write_text(FOLLOWER.read_text("utf-8") if text is None else text, encoding="utf-8")
