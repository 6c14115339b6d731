#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plain English in comments (C, Python, JavaScript, shell, CMake) and Markdown: forbidden words, forbidden shapes, long sentences.

`check_english.py [PATH...]` checks files and folders; without PATH, the whole tree.
"""
import ast
import io
import pathlib
import re
import sys
import tokenize

import source

MAX_WORDS = 30
# Words and shapes that make a sentence hard to read, with the plain form.
SHAPES = {
    r"nobody|somebody|anybody": "name the process, thread or user",
    r"(?:of|to|for|as|by|from|with) whom|of which": "start a second sentence",
    r"(?:is|are|was|were) (?-i:none)": "say what is missing",
    r"that which|the same of|as it is of": "name the thing",
    r"tell|tells|told|telling": "report, pass, notify, show",
    r"keeper": "watchdog",
    r"lets? go": "detach, release",
    r"wish|wishes": "request",
}
SHAPE = re.compile(r"(?<![\w-])(?:" + "|".join(f"({pattern})" for pattern in SHAPES) + r")(?![\w-])", re.I)
PLAIN = list(SHAPES.values())
OPENING = re.compile(r"(What|Who|Whom|Whose|Of)\s")
CODE = re.compile(r"`[^`\n]*`|\"[^\"\n]*\"")
FENCE = re.compile(r"^\s*```.*?^\s*```", re.M | re.S)
LINK = re.compile(r"\]\([^)]*\)")
JS_COMMENT_OR_STRING = re.compile(
    r"(?:(?<![:\\])//[^\n]*(?:\n[ \t]*(?=//))?)+|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`", re.S)
# A sentence ends at its mark, at a list item, a table cell, a heading, or an empty line.
SENTENCE = re.compile(r"(?<=[.:;?!])\s+|\n\s*\n|\n\s*(?:[-*]|\d+\.)\s|\||\n#+ ")


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def c_comments(text, pattern=source.COMMENT_OR_STRING):
    """Return (line, text without the comment's marks) of each comment of a C file."""
    for match in pattern.finditer(text):
        if match.group().startswith(("/*", "//")):
            body = re.sub(r"(?m)^\s*(?:/\*+|\*/|//|\*)?[ \t]?|\*/\s*$", "", match.group())
            yield text.count("\n", 0, match.start()) + 1, body


def js_comments(text):
    """Return the same for JavaScript. Adjacent comment lines are one text."""
    yield from c_comments(text, JS_COMMENT_OR_STRING)


def python_comments(text):
    """Return (line, text) of each docstring and of each run of comment lines."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            body = ast.get_docstring(node, clean=False)
            if body:
                yield node.body[0].lineno, body
    first, last, lines = 0, 0, []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type != tokenize.COMMENT:
            continue
        if lines and token.start[0] != last + 1:
            yield first, "\n".join(lines)
            lines = []
        if not lines:
            first = token.start[0]
        last = token.start[0]
        lines.append(token.string.lstrip("#! "))
    if lines:
        yield first, "\n".join(lines)


def script_comments(text):
    """Return the same for shell and CMake: runs of lines that are comments alone."""
    for match in re.finditer(r"(?m)(?:^[ \t]*#(?!!).*\n)+", text):
        yield text.count("\n", 0, match.start()) + 1, re.sub(r"(?m)^[ \t]*#[ \t]?", "", match.group())


def shapes_of(text, line):
    """Return the findings in a text that starts at a line."""
    bare = CODE.sub(blank, text)
    for match in SHAPE.finditer(bare):
        at = line + bare.count("\n", 0, match.start())
        yield f"{at}: \"{match.group()}\": {PLAIN[match.lastindex - 1]}"


def check_comment(text, line):
    opening = OPENING.match(text.lstrip())
    if opening:
        yield f"{line}: a comment starts with \"{opening.group(1)}\": start with a verb or a noun"
    yield from shapes_of(text, line)


def check_markdown(text):
    bare = LINK.sub("]", FENCE.sub(blank, text))
    yield from shapes_of(bare, 1)
    position = 0
    for sentence in SENTENCE.split(bare):
        n = len(re.findall(r"\w[\w'.-]*", CODE.sub("", sentence)))
        if n > MAX_WORDS:
            position = bare.find(sentence, position)
            start = position + len(sentence) - len(sentence.lstrip())
            yield f"{bare.count(chr(10), 0, start) + 1}: a sentence of {n} words (at most {MAX_WORDS})"


def check_file(path):
    text = path.read_text()
    if path.suffix == ".md":
        yield from check_markdown(text)
        return
    for line, body in COMMENTS[kind_of(path)](text):
        yield from check_comment(body, line)


COMMENTS = {".c": c_comments, ".h": c_comments, ".py": python_comments, ".js": js_comments, ".sh": script_comments,
            ".cmake": script_comments, "CMakeLists.txt": script_comments}
CHECKED = (*COMMENTS, ".md")


def kind_of(path):
    return path.name if path.name in COMMENTS else path.suffix


def files(root):
    yield from source.files(root, *CHECKED)
    yield from sorted(root.glob("*.md"))
    yield from sorted((root / "docs").glob("*.md"))


def check(root):
    for path in files(root):
        for finding in check_file(path):
            yield f"{path.relative_to(root)}:{finding}"


def main():
    if len(sys.argv) < 2:
        source.report(check)
    found = 0
    for name in sys.argv[1:]:
        path = pathlib.Path(name)
        for one in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if kind_of(one) in CHECKED and "corpus" not in one.parts:
                for finding in check_file(one):
                    print(f"{one}:{finding}")
                    found = 1
    sys.exit(found)


if __name__ == "__main__":
    main()
