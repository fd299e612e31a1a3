"""The session of this process, which is started when it is first needed."""

from __future__ import annotations

import atexit
from contextlib import ExitStack
from typing import TYPE_CHECKING

from lockstep.spark.session import SparkOptions, spark_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class KeptSession:
    """A session that is stopped when the process ends, or when other options are wanted."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._session: SparkSession | None = None
        self._options = SparkOptions()
        atexit.register(self.stop)

    def session(self, options: SparkOptions) -> SparkSession:
        """The session with these options; `LockstepError` where there can be none."""
        if self._session is None or options != self._options:
            self.stop()
            self._session = self._stack.enter_context(spark_session("lockstep", options))
            self._options = options
        return self._session

    def stop(self) -> None:
        """Stop the session, if there is one."""
        self._session = None
        self._stack.close()


KEPT_SESSION = KeptSession()
"""That of the process: Spark allows for one."""
