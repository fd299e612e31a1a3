"""The tools measured: each module has `rows(case, bench)`, which gives the tool's rows."""
