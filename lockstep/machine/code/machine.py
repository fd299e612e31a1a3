"""LLVM modules as machine code in this process, kept on disk between runs.

What is kept is named by a digest of all that it was made from: the module's text (in which model,
scope and this package's translation have become one), LLVM's version, the processor and its
features. A digest over that and the code seals a file, so that it is worth nothing under another
name. A file that is damaged, or that others may have written, is remade. When there are too many
files, the least recently used are removed.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path

import llvmlite
from llvmlite import binding

from lockstep.system.sealed import BrokenSeal, bytes_in, keep_newest, own_content, write_bytes
from lockstep.system.user_cache import make_private, open_trusted

_FORMAT = "lockstep-object-4"
SOON_STATES = 50_000
"""Up to so many states a search is over sooner with code that is not optimized: making that takes a
tenth of the time or less."""
_MOST_FILES = 2_048
"""Of some 8 KB to 100 KB; a campaign over a workspace makes more than five hundred."""


class MachineCode:
    """A module's functions by their addresses; they live as long as this does."""

    def __init__(self, code: bytes, better: Callable[[], MachineCode] | None = None) -> None:
        """`better` makes faster code of the same module; None where this is the fastest."""
        self._better = better
        engine = binding.create_mcjit_compiler(binding.parse_assembly(""), _target())
        engine.add_object_file(binding.ObjectFileRef.from_data(code))
        engine.finalize_object()
        self._engine = engine

    def address(self, name: str) -> int:
        """Where a function begins."""
        return int(self._engine.get_function_address(name))

    def suited_to(self, states: int) -> MachineCode:
        """The code that suits a search of so many states: this, or the better one."""
        return self if self._better is None or states < SOON_STATES else self._better()


def quick_code(text: str) -> MachineCode:
    """The machine code of an LLVM module that is used for a moment: sooner there, and slower."""
    return MachineCode(_compile(text, is_quick=True))


def machine_code(text: str, folder: Path | None, *, soon: bool = False) -> MachineCode:
    """The machine code of an LLVM module, from `folder` if it is there, and kept there if not.

    If it has to be made and `soon` is true, it is code that is sooner there and slower, of which
    nothing is kept. A folder that cannot be written costs time, nothing else. `LockstepError` for
    one that other users own or can write.
    """
    if folder is None:
        return MachineCode(_compile(text))
    if soon and _read(folder, _digest(text)) is None:
        return MachineCode(_compile(text, is_quick=True), partial(machine_code, text, folder))
    return kept_code(text, lambda: text, folder)


def kept_code(key: str, text: Callable[[], str], folder: Path) -> MachineCode:
    """The machine code of an LLVM module, which `text` makes where no code is kept.

    The key stands for all that the text depends on.
    """
    digest = _digest(key)
    code = _read(folder, digest)
    if code is None:
        with _alone(folder, digest):
            code = _read(folder, digest)  # another process may have made it meanwhile
            if code is None:
                code = _compile(text())
                _write(folder, digest, code)
    return MachineCode(code)


@contextmanager
def _alone(folder: Path, digest: str) -> Iterator[None]:
    """Wait until no other process translates the same; nobody waits where nothing can be kept."""
    file = folder / f"{digest[:40]}.lock"
    try:
        make_private(folder)
        lock = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError:
        yield
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        file.unlink(missing_ok=True)  # who waits for it looks first whether the code is there
        os.close(lock)


def is_kept(text: str, folder: Path) -> bool:
    """Whether the machine code of a module is in a folder."""
    return (folder / _name(_digest(text))).is_file()


def _digest(key: str) -> str:
    target = _target()
    parts = (
        _FORMAT,  # or two versions of lockstep would replace each other's files
        key,
        llvmlite.__version__,
        str(binding.llvm_version_info),
        target.triple,
        binding.get_host_cpu_name(),
        _features(),
    )
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _name(digest: str) -> str:
    return f"{digest[:40]}.o"


@cache
def _initialize() -> None:
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()


def _features() -> str:
    """What this processor can do, but for BMI2.

    With it LLVM 22.1 turns `x & table[i]`, where the table is 0, 1, 3, ..., into the instruction
    bzhi, and does so wrongly for some indices: a record with one Boolean was always True. The
    combination is `combineAndLoadToBZHI`, which llvm-project#221025 takes out.
    """
    return f"{binding.get_host_cpu_features().flatten()},-bmi2"


def _target(*, is_quick: bool = False) -> binding.TargetMachine:
    """This machine, made again each time: an execution engine takes its own for itself."""
    _initialize()
    return binding.Target.from_default_triple().create_target_machine(
        cpu=binding.get_host_cpu_name(),
        features=_features(),
        opt=0 if is_quick else 2,
        jit=True,
        codemodel="jitdefault",
    )


def _compile(text: str, *, is_quick: bool = False) -> bytes:
    target = _target(is_quick=is_quick)
    module = binding.parse_assembly(text)
    module.verify()
    # Without them LLVM optimizes for a machine of another byte order.
    module.triple = target.triple
    module.data_layout = str(target.target_data)
    if not is_quick:
        options = binding.create_pipeline_tuning_options(speed_level=2)
        builder = binding.create_pass_builder(target, options)
        builder.getModulePassManager().run(module, builder)
    code: bytes = target.emit_object(module)
    return code


def _read(folder: Path, digest: str) -> bytes | None:
    """What `_write` kept; None when there is nothing, not all of it, or something else."""
    within = open_trusted(folder)
    if within is None:
        return None
    name = _name(digest)
    try:
        code = bytes_in(own_content(Path(name), within), digest)
        with suppress(OSError):
            os.utime(name, dir_fd=within, follow_symlinks=False)
    except (OSError, BrokenSeal):
        return None
    finally:
        os.close(within)
    return code


def _write(folder: Path, digest: str, code: bytes) -> None:
    """Put a whole file in place, or none."""
    with suppress(OSError):
        make_private(folder)
        write_bytes(folder / _name(digest), code, digest, 0o600)
        keep_newest(folder, "*.o", _MOST_FILES)
