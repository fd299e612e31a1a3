"""The Java virtual machine of this process, with the classes of one release of Apache Kafka.

JPype starts it: docs/decisions/0021. A process has one at most, and it ends with the process.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lockstep.errors import LockstepError
from lockstep.system.java import find_java
from lockstep.system.maven import Artifact, jars_of
from lockstep_kafka.jars import JARS

SMALL_AND_SOON = ("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")
"""Options of a Java that has little to do, and begins soon."""
_LIBRARIES = ("lib/server/libjvm.so", "lib/server/libjvm.dylib", "bin/server/jvm.dll")

_started: tuple[str, tuple[Artifact, ...]] | None = None


def pinned(release: str, jars: Mapping[str, tuple[Artifact, ...]] = JARS) -> tuple[Artifact, ...]:
    """The jars of a release; `LockstepError` where there is no such release."""
    if release not in jars:
        raise LockstepError(
            f"no jars are pinned for release {release} of Apache Kafka",
            cure=f"name one of {', '.join(jars)}",
        )
    return jars[release]


class Jvm:
    """The classes of a release; Java is started with the first one that is made.

    `jars` are those of each release. `LockstepError` where there is no such release, Java, JPype
    or jar, and where Java runs already with other ones.
    """

    def __init__(self, release: str, jars: Mapping[str, tuple[Artifact, ...]] = JARS) -> None:
        global _started
        wanted = release, pinned(release, jars)
        if _started not in (None, wanted):
            raise LockstepError(
                f"release {_started[0]} of Apache Kafka is loaded in this process, so that the "
                f"classes of {release} that are wanted cannot be.",
                cure="drive each release, and each kind of classes, by a process of its own",
            )
        self._jars = jars
        self.release = release
        self.version = tuple(int(part) for part in release.split("."))
        self._jpype = _jpype()
        if _started is None:
            self._start()
            _started = wanted
        self._integer = self.named("java.lang.Integer")
        self._members: dict[tuple[Any, ...], Any] = {}

    def _start(self) -> None:
        library, jars = _library(), [str(jar) for jar in jars_of(self._jars[self.release])]
        try:
            # With -Xrs Java leaves SIGINT and SIGTERM to Python. Handlers of JPype's own, which it
            # would set without `interrupt`, call Python from a thread of Java and crash.
            self._jpype.startJVM(
                *SMALL_AND_SOON, "-Xrs", jvmpath=str(library), classpath=jars, interrupt=True
            )
        except (OSError, RuntimeError) as error:
            raise LockstepError(
                f"Java does not start ({library}): {str(error).splitlines()[0]}",
                cure="`lockstep doctor` lists what is installed",
            ) from error

    def named(self, *names: str) -> Any:
        """The first of these classes that the release has."""
        for name in names:
            try:
                return self._jpype.JClass(name)
            except TypeError:
                continue
        raise LockstepError(
            f"release {self.release} of Apache Kafka has no class {' or '.join(names)}",
            cure=f"drive one of {', '.join(self._jars)}",
        )

    def implement(self, interface: str, **methods: Any) -> Any:
        """A Java object with this interface, whose methods are functions of Python."""
        return self._jpype.JProxy(interface, dict=methods)

    def short(self, number: int) -> Any:
        """A `short`, where Java would take the number for an `int`."""
        return self._jpype.JShort(number)

    def field(self, thing: Any, name: str) -> Any:
        """The value of a private field; Scala's and Java's sources give them the same names."""
        return self._member(thing, "getDeclaredField", name).get(thing)

    def set_long(self, thing: Any, name: str, value: int) -> None:
        """Give a private field of type `long` another value."""
        self._member(thing, "getDeclaredField", name).setLong(thing, value)

    def call(self, thing: Any, name: str, *arguments: int) -> Any:
        """What a method returns that its package keeps to itself; its parameters are `int`."""
        types = (self._jpype.JInt,) * len(arguments)
        boxed = (self._integer(one) for one in arguments)
        return self._member(thing, "getDeclaredMethod", name, *types).invoke(thing, *boxed)

    def _member(self, thing: Any, kind: str, *described: Any) -> Any:
        key = type(thing), kind, described
        if key not in self._members:
            member = getattr(type(thing).class_, kind)(*described)
            member.setAccessible(True)
            self._members[key] = member
        return self._members[key]


def require_java(jars: tuple[Artifact, ...]) -> None:
    """`LockstepError` where JPype, Java or one of the jars cannot be had; nothing is started."""
    _jpype()
    _library()
    jars_of(jars)


def _jpype() -> Any:
    try:
        import jpype
    except ImportError as error:
        raise LockstepError(
            f"JPype is needed to drive Apache Kafka's classes: {error}.",
            cure="pip install 'lockstep[jvm]'",
        ) from error
    return jpype


def _library() -> Path:
    """Java's library, of the `java` that everything else uses."""
    home = find_java().parent.parent
    for place in _LIBRARIES:
        if (home / place).is_file():
            return home / place
    raise LockstepError(
        f"{home} has Java's program, but not its library ({' or '.join(_LIBRARIES)})",
        cure="install a whole runtime, and let JAVA_HOME name it",
    )
