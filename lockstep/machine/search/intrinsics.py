"""What numba has no word for: calls to addresses, addresses and what is there, a prefetch."""

from __future__ import annotations

from typing import Any

from llvmlite import ir as llvm
from numba import types
from numba.extending import intrinsic

_I64 = llvm.IntType(64)


def _call(typingctx: Any, address: Any, one: Any, two: Any, three: Any) -> Any:
    signature = types.int64(types.int64, types.int64, types.int64, types.int64)

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _I64.as_pointer()
        function = llvm.FunctionType(_I64, [pointer] * 3).as_pointer()
        target = builder.inttoptr(arguments[0], function)
        return builder.call(
            target, [builder.inttoptr(argument, pointer) for argument in arguments[1:]]
        )

    return signature, codegen


def _address(typingctx: Any, pointer: Any, index: Any) -> Any:
    signature = types.int64(pointer, types.int64)

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ptrtoint(builder.gep(arguments[0], [arguments[1]], inbounds=True), _I64)

    return signature, codegen


def _pointer_to(kind: Any) -> Any:
    def pointer(typingctx: Any, number: Any) -> Any:
        signature = types.CPointer(kind)(types.int64)

        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

        return signature, codegen

    return pointer


def _prefetch(typingctx: Any, pointer: Any, index: Any) -> Any:
    signature = types.void(pointer, types.int64)

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = builder.gep(arguments[0], [arguments[1]], inbounds=True)
        byte = llvm.IntType(8).as_pointer()
        int32 = llvm.IntType(32)
        kind = llvm.FunctionType(llvm.VoidType(), [byte, int32, int32, int32])
        function: Any = builder.module.globals.get("llvm.prefetch.p0")
        if function is None:
            function = llvm.Function(builder.module, kind, "llvm.prefetch.p0")
        hints = [llvm.Constant(int32, hint) for hint in (0, 3, 1)]
        builder.call(function, [builder.bitcast(place, byte), *hints])
        return context.get_dummy_value()

    return signature, codegen


# mypy takes what `intrinsic` returns for a function of all the parameters of the one it decorates.
call: Any = intrinsic(_call)
"""`call(address, one, two, three)`: call the function at an address with three pointers; it returns
a signed word."""
address: Any = intrinsic(_address)
"""`address(pointer, index)`: where an item is, as a number."""
states_at: Any = intrinsic(_pointer_to(types.uint64))
"""`states_at(number)`: the states whose address a number is."""
counts_at: Any = intrinsic(_pointer_to(types.int64))
"""`counts_at(number)`: the counts whose address a number is."""
numbers_at: Any = intrinsic(_pointer_to(types.int32))
"""`numbers_at(number)`: the short numbers whose address a number is."""
prefetch: Any = intrinsic(_prefetch)
"""`prefetch(pointer, index)`: ask for an item to be brought near."""
