#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copy the documents for an installation: `documents.py SOURCE OUT LIBDIR DATADIR`.

Folders stay as in the source, so links between documents work. Commands have installed paths. A link to a file that is
not installed becomes text.
"""
import pathlib
import re
import shutil
import sys

FOLDERS = {".": ("README.md", "CHANGELOG.md", "SECURITY.md"), "docs": ("*.md", "*.png"), "protocol": ("PROTOCOL.md", "METHODS.md"),
           "libompd": ("README.md",), "runtime": ("README.md", "ORDER.md")}
EXTENSION = "clients/vscode/README.md"


def installed_text(text, folder, names, libdir, datadir):
    """Return the text of a document in this folder with installed paths and links."""
    def link(found):
        label, target = found.groups()
        path = (folder / target.partition("#")[0]).resolve()
        if path in names or "://" in target or target.startswith("#"):
            return found.group()
        return f"[{label}]({datadir}/ompdd/vscode/README.md)" if str(path).endswith(EXTENSION) else label
    text = re.sub(r"(?<!!)\[([^]\n]+)\]\(([^)\s]+)\)", link, text)
    for before, after in (("$PWD/build/lib/ompdd", f"{libdir}/ompdd"), ("build/bin/demo", "./demo"), ("build/bin/", "")):
        text = text.replace(before, after)
    return text


def main():
    source, out, libdir, datadir = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]), *sys.argv[3:]
    names = {path for folder, patterns in FOLDERS.items() for pattern in patterns for path in (source / folder).glob(pattern)}
    shutil.rmtree(out, ignore_errors=True)
    for path in names:
        copy = out / path.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            copy.write_text(installed_text(path.read_text(encoding="utf-8"), path.parent, names, libdir, datadir), encoding="utf-8")
        else:
            shutil.copyfile(path, copy)


if __name__ == "__main__":
    main()
