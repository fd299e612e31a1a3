"""Kernels, which are Python that numba understands, as the text of an LLVM module."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from llvmlite import binding
from numba import cfunc, from_dtype, types

from lockstep.machine.search.interface import KERNELS, RECORDS, kinds


def linked(kernels: Mapping[str, Callable[..., Any]]) -> str:
    """Some kernels by their names in `KERNELS` as the text of one LLVM module.

    Each function has the parameters that are declared there, after two pointers: to where the
    answer goes, and to a word that is not used.
    """
    module = None
    for name, function in kernels.items():
        part = binding.parse_assembly(_text(name, function))
        if module is None:
            module = part
        else:
            module.link_in(part)
    return str(module)


def _text(name: str, function: Callable[..., Any]) -> str:
    """One kernel as LLVM text."""
    parameters = [_type(kind) for kind in kinds(KERNELS[name]).values()]
    kernel = cfunc(types.int64(*parameters), error_model="numpy")(function)
    module = binding.parse_assembly(kernel.inspect_llvm())
    for part in module.functions:
        # What Python would call reports exceptions; there are none.
        if part.name.startswith("cfunc."):
            inner = part.name.removeprefix("cfunc.")
            part.linkage = "internal"
    module.get_function(inner).name = name
    return str(module)


def _type(kind: str) -> Any:
    """What numba calls a parameter that points to something of a kind."""
    match kind:
        case "states":
            return types.CPointer(types.uint64)
        case "counts":
            return types.CPointer(types.int64)
        case "numbers":
            return types.CPointer(types.int32)
        case "":
            return types.int64
    return from_dtype(np.dtype([(field, np.int64) for field in kinds(RECORDS[kind])]))
