"""Machine code of a model: its values as machine words, and its IR as LLVM functions over them."""
