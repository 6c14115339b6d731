# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Walking the source tree, for the checks beside this file. A finding is "path:line: what is wrong"."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PARTS = ("ompdd", "libompd", "runtime", "clients", "protocol", "tests")
COMMENT_OR_STRING = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:<([^>\n]+)>|"([^"\n]+)")', re.M)


def files(root, *suffixes, parts=PARTS):
    """Files below the parts of the house that end in one of the suffixes, without corpora and caches."""
    for part in parts:
        for path in sorted((root / part).rglob("*")):
            if path.is_file() and path.name.endswith(suffixes) and "corpus" not in path.parts:
                yield path


def code_of(text):
    """Return C text with comments and strings blanked out; line numbers stay."""
    return COMMENT_OR_STRING.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def without_comments(text):
    """C text with comments blanked out; line numbers stay."""
    return re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)


def includes(text):
    """(line number, name, is in angle brackets) of each include that is not commented out."""
    bare = without_comments(text)
    for match in INCLUDE.finditer(bare):
        yield bare.count("\n", 0, match.start()) + 1, match.group(1) or match.group(2), bool(match.group(1))


def lines_with(pattern, text):
    for match in re.finditer(pattern, text):
        yield text.count("\n", 0, match.start()) + 1, match.group()


def report(check):
    """Run check(root) for the command line: `check_x.py [ROOT]`."""
    root = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT
    findings = list(check(root))
    for finding in findings:
        print(finding)
    sys.exit(1 if findings else 0)
