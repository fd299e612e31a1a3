"""The source of a release: where a method stands, and its text without formatting and comments."""

from __future__ import annotations

import hashlib
import re
import textwrap
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from zipfile import BadZipFile, ZipFile

from lockstep.errors import LockstepError

if TYPE_CHECKING:
    from tree_sitter import Node

_WHOLE = {"string", "string_literal", "interpolated_string_expression", "character_literal"}
"""What is one word, whatever its parts are: its blanks count."""

_BODIES = {"class_body", "interface_body", "enum_body", "annotation_type_body", "template_body"}
_INSIDE = {"enum_body_declarations", "package_clause"}
"""What stands between a class or a file and what it declares."""


@dataclass(frozen=True)
class Member:
    """A method, a constructor (by the name of its class) or a field, by its name in the source.

    Scala calls the constructors beside the first one `this`.
    """

    package: str
    types: tuple[str, ...]
    """The class, and what it is nested in before it."""
    name: str

    @classmethod
    def named(cls, text: str) -> Member:
        """What `org.apache.kafka.raft.KafkaRaftClient#pollLeader` names."""
        path, _, name = text.partition("#")
        package = re.match(r"(?:[a-z]\w*\.)*", path)
        assert package is not None
        return cls(package[0].rstrip("."), tuple(path[package.end() :].split(".")), name)


@dataclass(frozen=True)
class Found:
    """A member as a release has it: all of the same name in its class together.

    `place` is the class that has it, `digest` one of its tokens, and `lines` its text without
    comments.
    """

    place: str
    language: str
    digest: str
    lines: tuple[str, ...]


class SourceCode:
    """The source jars of one release."""

    def __init__(self, jars: Iterable[Path]) -> None:
        self._jars = tuple(jars)

    def find(self, member: Member, former: str = "") -> Found | None:
        """The member where its name says that it is, else in the class `former`, of another name.

        Else it is looked for in all other classes of such a name.
        """
        named = [member, Member.named(f"{former}#{member.name}")] if former else [member]
        for find in (self._in_its_file, self._elsewhere):
            for one in named:
                if (found := find(one)) is not None:
                    return found
        return None

    def _in_its_file(self, member: Member) -> Found | None:
        path = "/".join((*member.package.split("."), member.types[0]))
        for file in (f"{path}.java", f"{path}.scala"):
            if file in self._texts and (found := self._in_file(file, member)) is not None:
                return found
        return None

    def _elsewhere(self, member: Member) -> Found | None:
        word = re.compile(rb"\b(class|object|trait|interface|enum|record) +%s\b" % _last(member))
        others = (
            self._in_file(name, member)
            for name, text in self._texts.items()
            if _last(member) in text and word.search(text)
        )
        ranked = sorted(filter(None, others), key=lambda found: _distance(found.place, member))
        return ranked[0] if ranked else None

    def _in_file(self, path: str, member: Member) -> Found | None:
        package = PurePosixPath(path).parent.parts
        nodes_in: dict[str, list[Node]] = {}
        for types, body in _bodies(_root(path, self._texts[path])):
            if types[-1] == member.types[-1] and (named := list(_members(body, member))):
                # A class and the object of its name are one place.
                nodes_in.setdefault(".".join((*package, *types)), []).extend(named)
        if not nodes_in:
            return None
        place = min(nodes_in, key=lambda place: _distance(place, member))
        nodes = nodes_in[place]
        # What the grammar does not read is no token: there the text counts as it stands.
        tokens = "\n\n".join(
            _text(node) if node.has_error else "\n".join(_tokens(node)) for node in nodes
        )
        return Found(
            place,
            PurePosixPath(path).suffix[1:].capitalize(),
            hashlib.sha256(tokens.encode()).hexdigest()[:16],
            tuple(line for node in nodes for line in _lines(node)),
        )

    @cached_property
    def _texts(self) -> dict[str, bytes]:
        """Each file of source by its path; `LockstepError` for a jar that cannot be read."""
        texts = {}
        for jar in self._jars:
            try:
                with ZipFile(jar) as archive:
                    for name in archive.namelist():
                        if name.endswith((".java", ".scala")):
                            texts[name] = archive.read(name)
            except (BadZipFile, OSError, EOFError, RuntimeError, zlib.error) as error:
                raise LockstepError(
                    f"{jar} is no jar of source: {error}", cure="remove it and fetch it again"
                ) from None
        return texts


def _last(member: Member) -> bytes:
    return member.types[-1].encode()


def _distance(place: str, member: Member) -> tuple[int, str]:
    """How far a place is from the one that is named: by how many parts of its name differ."""
    named = {*member.package.split("."), *member.types}
    return len(named.symmetric_difference(place.split("."))), place


@lru_cache(maxsize=64)
def _root(path: str, text: bytes) -> Node:
    import tree_sitter_java
    import tree_sitter_scala
    from tree_sitter import Language, Parser

    grammar = tree_sitter_java if path.endswith(".java") else tree_sitter_scala
    return Parser(Language(grammar.language())).parse(text).root_node


def _bodies(node: Node, around: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Node]]:
    """The body of each class with its name, after those of the classes around it."""
    for child in node.named_children:
        name, body = child.child_by_field_name("name"), child.child_by_field_name("body")
        if child.type in _INSIDE:
            yield from _bodies(child, around)
        elif name is not None and body is not None and body.type in _BODIES:
            types = (*around, _text(name))
            yield types, body
            yield from _bodies(body, types)


def _members(body: Node, member: Member) -> Iterator[Node]:
    """What the body of a class declares under the name of a member."""
    names = {member.name, "this"} if member.name == member.types[-1] else {member.name}
    for child in body.named_children:
        if child.type in _INSIDE:
            yield from _members(child, member)
        elif not names.isdisjoint(_names(child)):
            yield child


def _names(node: Node) -> Iterator[str]:
    for field in ("name", "pattern"):
        yield from map(_text, node.children_by_field_name(field))
    for declarator in node.children_by_field_name("declarator"):
        yield from _names(declarator)


def _text(node: Node) -> str:
    return str((node.text or b"").decode())


def _tokens(node: Node) -> Iterator[str]:
    """The words and signs of a declaration, comments apart."""
    waiting = [node]
    while waiting:
        part = waiting.pop()
        if part.type.endswith("comment"):
            continue
        if part.child_count and part.type not in _WHOLE:
            waiting += reversed(part.children)
        else:
            yield _text(part)


def _lines(node: Node) -> Iterator[str]:
    """The lines of a declaration as they are written, comments apart."""
    text, start = node.text or b"", node.start_byte
    for comment in reversed(list(_comments(node))):
        text = text[: comment.start_byte - start] + text[comment.end_byte - start :]
    indented = " " * node.start_point.column + text.decode()
    lines = (line.rstrip() for line in textwrap.dedent(indented).splitlines())
    return filter(None, lines)


def _comments(node: Node) -> Iterator[Node]:
    for child in node.children:
        if child.type.endswith("comment"):
            yield child
        else:
            yield from _comments(child)
