"""Which files of a workspace are models, which belong to one, and which nothing reads.

Files are parsed, never run. A file directly below `models/` is a model if it declares a class that
is derived from `State`, under whatever name it is imported, or if it imports such a class and no
other file there imports it. Other files are parts if a file imports them.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from lockstep.errors import nearest
from lockstep.language.loader import PACKAGES
from lockstep.language.syntax import Syntax, syntax_of

PROPOSALS = "models/proposals"
"""The folder that has one folder of proposals for each model."""

_OF_MODELS = ("invariants", "invariants/lemmas", "models/faults")
"""The folders with files under the names of models."""

_FOLDERS = ("models", *_OF_MODELS)

_ENDINGS = (".py", ".toml")

OF_REQUIREMENTS = "kip_"
"""How the names of the files of requirements begin in `specs/`."""


@dataclass(frozen=True)
class Unused:
    """A file that nothing reads, and why.

    `is_mistake` says that something is left out which was meant to be checked.
    """

    file: Path
    why: str
    is_mistake: bool = True


class Inventory:
    """The files of the workspace at `root`."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @cached_property
    def models(self) -> list[str]:
        """The names of the models, in alphabetical order.

        A file that is not Python is among them unless it is part of another, so that loading it
        says what is wrong.
        """
        return sorted(
            syntax.file.stem for syntax in self._syntax("models") if self._is_model(syntax)
        )

    @cached_property
    def unused(self) -> list[Unused]:
        """The files that nothing reads, by name."""
        return sorted(
            [
                *self._not_files(),
                *self._misnamed_folders(),
                *self._parts(),
                *self._of_no_model(),
                *self._scopes(),
            ],
            key=lambda unused: unused.file,
        )

    def _is_model(self, syntax: Syntax) -> bool:
        if syntax.tree is None:
            # What is wrong with it is said of the model that others take it for.
            return self._has_claims(syntax) or not self._is_imported(syntax, by="models")
        if any(self._is_state(syntax, name) for name in syntax.classes):
            # Without an action it is a part that others take their state from.
            return syntax.has_marks or not self._is_imported(syntax)
        return self._imports_state(syntax) and not self._is_imported(syntax, by="models")

    def _has_claims(self, syntax: Syntax) -> bool:
        """Whether there are claims, faults or scopes of a file's name."""
        files = (
            *(self._root / folder / syntax.file.name for folder in _OF_MODELS),
            self._root / "specs" / f"{syntax.file.stem}.toml",
        )
        return any(file.is_file() for file in files)

    def _imports_state(self, syntax: Syntax) -> bool:
        """Whether a file imports a state class from another file of the workspace."""
        for name in syntax.imported.values():
            module, _, last = name.rpartition(".")
            owner = self._by_module.get(module)
            if owner is None:
                continue
            states = (
                (owner.classes if syntax.has_marks else ())
                if last == "*"
                else (owner.names.get(last, last),)
            )
            if owner.tree is None or any(self._is_state(owner, one) for one in states):
                return True
        return False

    def _is_state(self, syntax: Syntax, name: str, seen: frozenset[str] = frozenset()) -> bool:
        """Whether a dotted name in a file is `State` or a class derived from it.

        However many classes and files are in between. What stands in a file that cannot be parsed
        is one: nobody can tell, and what is wrong is said by loading it.
        """
        here = f"{syntax.file}:{name}"
        module, _, last = name.rpartition(".")
        if here in seen or (module.partition(".")[0] == "lockstep" and last == "State"):
            return here not in seen
        seen |= {here}
        if name in syntax.classes:
            return any(self._is_state(syntax, base, seen) for base in syntax.classes[name])
        owners = map(self._by_module.get, [module] if module else syntax.stars)
        return any(
            owner.tree is None or self._is_state(owner, owner.names.get(last, last), seen)
            for owner in owners
            if owner is not None
        )

    def _is_imported(self, syntax: Syntax, by: str | None = None) -> bool:
        """Whether another file imports this one: any, or one directly in the folder `by`."""
        importers = self._importers.get(self._module(syntax.file), set()) - {syntax.file}
        folder = None if by is None else self._root / by
        return any(folder is None or file.parent == folder for file in importers)

    def _not_files(self) -> Iterator[Unused]:
        """Hidden files, such as an editor's locks, and what is no file at all."""
        for folder in (*_FOLDERS, "specs"):
            for path in self._root.joinpath(folder).glob("*"):
                if path.suffix.lower() not in _ENDINGS:
                    continue
                if path.name.startswith("."):
                    yield Unused(path, "its name begins with a dot", is_mistake=False)
                elif path.suffix not in _ENDINGS:
                    yield Unused(path, f"its name has to end in {path.suffix.lower()}")
                elif not path.is_file():
                    yield Unused(path, "it is no file that can be read")

    def _misnamed_folders(self) -> Iterator[Unused]:
        """Folders beside those of a workspace whose names are nearly theirs, or only a part."""
        there_are = {Path(folder).name: folder for folder in (*_FOLDERS, "specs")}
        for path in self._root.glob("*"):
            nearly = difflib.get_close_matches(path.name.lower(), there_are, n=1, cutoff=0.85)
            is_one = path.name in ("models", "invariants", "specs")
            if is_one or not nearly or not path.is_dir():
                continue
            if any(path.glob("*.py")) or any(path.glob("*.toml")):
                yield Unused(path, f"the folder is called {there_are[nearly[0]]}/")

    def _parts(self) -> Iterator[Unused]:
        """Files that are neither models nor imported by any other file."""
        for syntax in self._syntax("models"):
            is_empty = syntax.tree is not None and not syntax.tree.body  # as `__init__.py` is
            is_model = syntax.file.stem in self.models
            if not (is_empty or is_model or self._is_imported(syntax)):
                why = "it declares no state, and no other file imports it"
                yield Unused(syntax.file, why, is_mistake=syntax.has_marks)
        for syntax in self._by_module.values():
            is_nested = syntax.file.parent not in map(self._root.joinpath, _FOLDERS)
            if syntax.file.parents[1] == self._root / PROPOSALS:
                if syntax.file.parent.name not in self.models:
                    yield Unused(syntax.file, self._no_model(syntax.file.parent.name))
                continue
            if is_nested and syntax.has_marks and not self._is_imported(syntax):
                yield Unused(syntax.file, "models and claims are read from no other folder below")

    def _of_no_model(self) -> Iterator[Unused]:
        """Claims and faults of models that there are not."""
        for folder in _OF_MODELS:
            for syntax in self._syntax(folder):
                name = syntax.file.stem
                is_part = name == "__init__" or self._is_imported(syntax)
                if name not in self.models and not is_part:
                    yield Unused(syntax.file, self._no_model(name))

    def _scopes(self) -> Iterator[Unused]:
        for file in sorted(self._root.joinpath("specs").glob("*.toml")):
            name = file.stem
            is_read = name in self.models or name.startswith(OF_REQUIREMENTS)
            if not is_read and not name.startswith("."):
                yield Unused(file, f"{self._no_model(name)} (requirements are in kip_N.toml)")

    def _no_model(self, name: str) -> str:
        hint = nearest(name, self.models, "")
        return f"there is no model {name}" + (f"; {hint}" if hint else "")

    @cached_property
    def _by_module(self) -> Mapping[str, Syntax]:
        """Every file in the notation by the name that others import it by."""
        files = (file for folder in PACKAGES for file in self._root.joinpath(folder).rglob("*.py"))
        return {
            self._module(file): syntax_of(file)
            for file in sorted(files)
            if file.is_file() and not file.name.startswith(".")
        }

    @cached_property
    def _importers(self) -> Mapping[str, set[Path]]:
        """By a module's name, the files that import it or something in it."""
        importers: dict[str, set[Path]] = {}
        for syntax in self._by_module.values():
            is_needed = "tree" in vars(syntax)
            modules = syntax.modules
            if not is_needed:
                syntax.forget()
            for name in modules:
                words = name.split(".")
                for end in range(1, len(words) + 1):
                    importers.setdefault(".".join(words[:end]), set()).add(syntax.file)
        return importers

    def _module(self, file: Path) -> str:
        return ".".join(file.relative_to(self._root).with_suffix("").parts)

    def _syntax(self, folder: str) -> list[Syntax]:
        """The files directly in a folder."""
        return self._by_folder.get(self._root / folder, [])

    @cached_property
    def _by_folder(self) -> Mapping[Path, list[Syntax]]:
        """The files by the folder that they are directly in."""
        folders: dict[Path, list[Syntax]] = {}
        for syntax in self._by_module.values():
            folders.setdefault(syntax.file.parent, []).append(syntax)
        return folders
