"""What readers see has the standard terms: pages, help texts, messages, models and their twins.

Each word of `WORDS` stands for several things at once, and the field has a term for each: printed,
reported, recorded, detected, sent, cached, default. `docs/glossary.md` has the terms. Names and
output, in backticks or in a fence, are left alone.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from lockstep.cli.app import app

ROOT = Path(__file__).parents[2]
WORDS = ("told", "tells", "anew", "whoever", "held against", "gone through", "comes to")
FORBIDDEN = re.compile(rf"\b(?:{'|'.join(WORDS)})\b".replace(" ", r"\s+"), re.IGNORECASE)
PAGES = sorted(
    [
        *ROOT.joinpath("docs").rglob("*.md"),
        *(ROOT / name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "README.md")),
    ]
)
PACKAGES = ("lockstep", "lockstep_kafka")
SOURCES = (".py", ".toml", ".tla", ".cfg")


def forbidden(text: str) -> list[str]:
    """The forbidden words of a text in their order, in lower case and with single spaces."""
    return [" ".join(found.lower().split()) for found in FORBIDDEN.findall(text)]


def problems(page: str) -> list[tuple[int, str]]:
    """The forbidden words in the prose of a page in Markdown, each with the line of its block."""
    found = []
    for token in MarkdownIt("commonmark").enable("table").parse(page):
        if token.type == "inline" and token.map is not None:
            texts = (
                " " if child.type == "softbreak" else child.content
                for child in token.children or []
                if child.type in ("text", "softbreak")
            )
            found += [(token.map[0] + 1, word) for word in forbidden("".join(texts))]
    return found


def helps() -> dict[str, str]:
    """What each command prints for `--help`, by its name; `lockstep` is the help of all."""
    root = get_command(app)
    assert isinstance(root, TyperGroup)
    top = root.context_class(root, info_name="lockstep", **root.context_settings)
    texts = {"lockstep": root.get_help(top)}
    for name, verb in root.commands.items():
        assert isinstance(verb, TyperCommand)
        context = verb.context_class(verb, info_name=name, parent=top, **verb.context_settings)
        texts[name] = verb.get_help(context)
    return texts


def messages(file: Path) -> Iterator[tuple[int, str]]:
    """The texts of a module that are neither docstrings nor names, each with its line."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            continue
        if id(node) not in bare and not node.value.isidentifier():
            yield node.lineno, node.value


HELPS = helps()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages(page: Path) -> None:
    assert problems(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("verb", HELPS)
def test_help(verb: str) -> None:
    assert "--help" in HELPS[verb]
    assert forbidden(HELPS[verb]) == []


@pytest.mark.parametrize("package", PACKAGES)
def test_messages(package: str) -> None:
    found = [
        (file, line, text)
        for file in sorted(ROOT.joinpath(package).rglob("*.py"))
        for line, text in messages(file)
    ]
    assert len(found) > 200
    assert [
        f"{file.relative_to(ROOT)}:{line}: {text}" for file, line, text in found if forbidden(text)
    ] == []


@pytest.mark.parametrize("folder", ["models", "invariants", "specs", "tla"])
def test_models(folder: str) -> None:
    files = [file for file in sorted(ROOT.joinpath(folder).rglob("*.*")) if file.suffix in SOURCES]
    assert len(files) > 10
    assert [
        f"{file.relative_to(ROOT)}: {word}"
        for file in files
        for word in forbidden(file.read_text(encoding="utf-8"))
    ] == []


@pytest.mark.parametrize("word", WORDS)
def test_each_word_is_found_in_each_kind_of_prose(word: str) -> None:
    page = f"# {word.title()}\n\nA [{word}](x), *{word}*\n{word}.\n\n| a |\n|---|\n| {word} |\n"
    assert problems(page) == [(line, word) for line in (1, 3, 3, 3, 8)]
    wrapped = word.replace(" ", "\n")
    assert problems(f"It {wrapped} it.\n") == [(1, word)]


@pytest.mark.parametrize("word", WORDS)
def test_code_addresses_and_other_words_are_left_alone(word: str) -> None:
    page = f"`{word}` [x](<{word}.md>) un{word}s\n\n```text\n{word}\n```\n"
    assert problems(page) == []


def test_messages_are_what_a_module_says(tmp_path: Path) -> None:
    file = tmp_path / "module.py"
    file.write_text('"""A docstring."""\nx = f"so {y} it was told"\nz = d["told"]\n')
    assert list(messages(file)) == [(2, "so "), (2, " it was told")]
