"""Where a page's reader finds a line of the workspace: by its name, or at an address as well."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from lockstep.errors import LockstepError
from lockstep.pages.blocks import Span
from lockstep.system.git import Revision


@dataclass(frozen=True)
class SourceLinks:
    """Makes addresses of places: `{rev}`, `{path}` and `{line}` of `pattern` are filled in.

    Without a pattern a place is its name alone.
    """

    pattern: str | None = None
    revision: Revision | None = None

    def __post_init__(self) -> None:
        if self.pattern is None:
            return
        if not self.pattern.startswith(("https://", "http://")) or "{path}" not in self.pattern:
            raise LockstepError(
                f"--source-url {self.pattern!r} is no address of a file",
                cure="write it as https://HOST/OWNER/REPOSITORY/blob/{rev}/{path}#L{line}",
            )
        if "{rev}" in self.pattern and self.revision is None:
            raise LockstepError(
                "--source-url names {rev}, but the workspace is in no git repository",
                cure="write the name of a branch in its place",
            )

    def to(self, place: str | None) -> Span:
        """The place `FILE:LINE` as part of a text."""
        if place is None or self.pattern is None:
            return Span(place or "")
        path, _, line = place.rpartition(":")
        revision = self.revision
        prefix, commit = ("", "") if revision is None else (revision.prefix, revision.commit)
        address = self.pattern.replace("{rev}", commit).replace("{line}", line)
        return Span(place, address.replace("{path}", quote(prefix + path)))
