"""Whether Python and the packages are there that the metadata of lockstep asks for."""

from __future__ import annotations

import importlib
import platform
import re
import sys
from collections import defaultdict
from dataclasses import dataclass
from importlib import metadata

from lockstep.verbs.doctor_finding import Finding

_DISTRIBUTION = "lockstep"

_REQUIREMENT = re.compile(
    r"""(?P<name>[\w.-]+)\s*(?P<bounds>[^;]*?)\s*(;\s*extra\s*==\s*['"](?P<extra>[\w-]+)['"])?"""
)
_BOUND = re.compile(r"(?P<relation>>=|==|~=|<)\s*(?P<version>\d+(?:\.\d+)*)")

_MODULES = {"z3-solver": "z3"}
"""Where the module of a package has another name."""

_USES_OF_EXTRAS = {"spark": "--engine spark: large scopes and the logs of a fleet"}

_OF_OTHERS = {
    "pytest": "the tests of a workspace",
    "cvc5": "a second opinion on the proofs that `lockstep prove --smt` writes",
}
"""Packages that lockstep asks nobody to install, and what they are for."""


@dataclass(frozen=True)
class Requirement:
    """A package that is asked for; `bounds` as in `>=2,<3`; `extra` is None for what all need."""

    name: str
    bounds: str
    extra: str | None

    def is_met_by(self, version: str) -> bool:
        """Whether a version is within the bounds."""
        return all(
            _is_within(version, bound["relation"], bound["version"])
            for bound in _BOUND.finditer(self.bounds)
        )

    def __str__(self) -> str:
        return f"{self.name}{self.bounds}"


def read_requirement(text: str) -> Requirement:
    """A requirement as the metadata of a package has it; `ValueError` for one of another form."""
    match = _REQUIREMENT.fullmatch(text)
    parts = [] if match is None else [part for part in match["bounds"].split(",") if part]
    if match is None or not all(_BOUND.fullmatch(part.strip()) for part in parts):
        raise ValueError(f"{text!r} is no requirement that is understood here")
    return Requirement(match["name"], match["bounds"], match["extra"])


def package_findings() -> list[Finding]:
    """Python, each package that lockstep needs, and those that it can use."""
    try:
        lockstep = metadata.distribution(_DISTRIBUTION)
    except metadata.PackageNotFoundError:
        why = "it is not installed: which packages it needs is not known"
        return [_python(""), Finding.missing(_DISTRIBUTION, why, "install lockstep by pip")]
    wanted = [read_requirement(text) for text in lockstep.requires or ()]
    of_extras: dict[str, list[Requirement]] = defaultdict(list)
    for requirement in wanted:
        if requirement.extra is not None:
            of_extras[requirement.extra].append(requirement)
    return [
        _python(str(lockstep.metadata["Requires-Python"] or "")),
        Finding.ok(_DISTRIBUTION, lockstep.version),
        *(_package(requirement) for requirement in wanted if requirement.extra is None),
        *(_extra(extra, requirements) for extra, requirements in of_extras.items()),
        *(_other(name, use) for name, use in _OF_OTHERS.items()),
    ]


def _python(bounds: str) -> Finding:
    version, name = platform.python_version(), "python"
    if not Requirement(name, bounds, None).is_met_by(version):
        why = f"{version} ({sys.executable}) is not {bounds}"
        return Finding.missing(name, why, f"install lockstep with a Python {bounds}")
    return Finding.ok(name, f"{version} ({sys.executable})")


def _package(requirement: Requirement) -> Finding:
    name, cure = requirement.name, f"pip install '{requirement}'"
    version = _version(name)
    if version is None:
        return Finding.missing(name, "it is not installed", cure)
    if not requirement.is_met_by(version):
        return Finding.missing(name, f"{version} is not {requirement.bounds}", cure)
    try:
        importlib.import_module(_MODULES.get(name, name.replace("-", "_")))
    except Exception as error:
        reason = str(error).partition("\n")[0] or type(error).__name__
        why = f"{version} cannot be imported: {reason}"
        return Finding.missing(name, why, f"pip install --force-reinstall '{requirement}'")
    return Finding.ok(name, version)


def _extra(extra: str, requirements: list[Requirement]) -> Finding:
    versions = {requirement: _version(requirement.name) for requirement in requirements}
    lacking = [
        f"{requirement.name} {version} is not {requirement.bounds}"
        for requirement, version in versions.items()
        if version is not None and not requirement.is_met_by(version)
    ]
    if none := [one.name for one, version in versions.items() if version is None]:
        lacking.append(f"not installed: {', '.join(none)}")
    if lacking:
        cure = f"pip install '{_DISTRIBUTION}[{extra}]'"
        return Finding.absent(extra, "; ".join(lacking), _USES_OF_EXTRAS.get(extra, ""), cure)
    there = (f"{requirement.name} {version}" for requirement, version in versions.items())
    return Finding.ok(extra, ", ".join(there))


def _other(name: str, use: str) -> Finding:
    version = _version(name)
    if version is None:
        return Finding.absent(name, "it is not installed", use, f"pip install {name}")
    return Finding.ok(name, version)


def _version(name: str) -> str | None:
    """The version that is installed; None where none is."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _is_within(version: str, relation: str, bound: str) -> bool:
    numbers = re.match(r"\d+(?:\.\d+)*", version)
    if numbers is None:
        return False
    mine, other = _numbers(numbers[0]), _numbers(bound)
    width = max(len(mine), len(other))
    mine, other = mine + (0,) * (width - len(mine)), other + (0,) * (width - len(other))
    if relation == "<":
        return mine < other
    return mine == other if relation == "==" else mine >= other


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))
