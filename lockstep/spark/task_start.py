"""What a task does first in a worker of Spark's."""

from __future__ import annotations

import sys
from zipimport import zipimporter


def forget_archives() -> None:
    """Let this process's next task begin at once.

    Spark's workers run from an archive, and before each task they have Python forget what it knows
    of every folder of it: reading the archive again for each takes a quarter of a second or more.
    What Python does not know it need not forget. It finds the archive again when it needs it.
    """
    for path, finder in list(sys.path_importer_cache.items()):
        if isinstance(finder, zipimporter):
            del sys.path_importer_cache[path]
