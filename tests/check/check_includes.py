#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who may include whom: the arrows of the house (CONTRIBUTING.md, "The map"), and where foreign interfaces may be used."""
import pathlib

import source

# Folder: the folders whose headers it may include. Generated headers have no folder and are free for rpc, methods and session.
ARROWS = {
    "ompdd/base": {"ompdd/base"},
    "ompdd/rpc": {"ompdd/rpc", "ompdd/base"},
    "ompdd/session": {"ompdd/session", "ompdd/rpc", "ompdd/base"},
    "ompdd/server": {"ompdd/server", "ompdd/session", "ompdd/rpc", "ompdd/base"},
    "ompdd/target": {"ompdd/target", "ompdd/base"},
    "ompdd/openmp/plugin": {"ompdd/openmp/plugin", "ompdd/target", "ompdd/base", "runtime/include"},
    "ompdd/openmp/runtimes": {"ompdd/openmp/runtimes", "ompdd/openmp/plugin", "ompdd/target", "ompdd/base", "runtime/include"},
    "ompdd/openmp/model": {"ompdd/openmp/model", "ompdd/openmp/runtimes", "ompdd/openmp/plugin", "ompdd/target", "ompdd/base",
                           "runtime/include"},
    "ompdd/openmp/stacks": {"libompd/code", "ompdd/openmp/stacks", "ompdd/openmp/model", "ompdd/openmp/runtimes", "ompdd/openmp/plugin", "ompdd/target",
                            "ompdd/base", "runtime/include"},
    "ompdd/openmp/profile": {"ompdd/openmp/profile", "ompdd/openmp/stacks", "ompdd/openmp/model", "ompdd/openmp/runtimes",
                             "ompdd/openmp/plugin", "ompdd/target", "ompdd/base", "runtime/include"},
    "ompdd/worker": {"ompdd/worker", "ompdd/openmp", "ompdd/target", "ompdd/rpc", "ompdd/base"},
    "ompdd/methods": {"ompdd/methods", "ompdd/worker", "ompdd/openmp", "ompdd/target", "ompdd/rpc", "ompdd/base",
                      "runtime/include"},
    "ompdd/main_daemon.c": {"ompdd/server", "ompdd/session", "ompdd/rpc", "ompdd/base"},
    "ompdd/main_worker.c": {"ompdd/methods", "ompdd/worker", "ompdd/openmp", "ompdd/target", "ompdd/rpc", "ompdd/base"},
    "libompd": {"libompd", "runtime/include", "runtime/layout"},
    "runtime/abi": {"runtime/abi", "runtime/core", "runtime/os", "runtime/tools", "runtime/include"},
    "runtime/core": {"runtime/core", "runtime/os", "runtime/tools", "runtime/include"},
    "runtime/os": {"runtime/os"},
    "runtime/tools": {"runtime/tools", "runtime/core", "runtime/os", "runtime/layout", "runtime/include"},
    "runtime/layout": {"runtime/layout"},
    "runtime/include": {"runtime/include"},
    "clients/cli": {"clients/cli", "ompdd/base", "ompdd/rpc"},
    "clients/dap": {"clients/dap", "clients/cli", "ompdd/base", "ompdd/rpc"},
}
# Foreign header: the files or folders that may include it. Tests may include anything but clients.
FOREIGN = {
    "uv.h": {"ompdd/server"},
    "microhttpd.h": {"ompdd/server"},
    "sys/ptrace.h": {"ompdd/target"},
    "linux/ptrace.h": {"ompdd/target"},
    "sys/uio.h": {"ompdd/target", "ompdd/server"},
    "thread_db.h": {"ompdd/target"},
    "proc_service.h": {"ompdd/target"},
    "libelf.h": {"ompdd/target"},
    "gelf.h": {"ompdd/target"},
    "elf.h": {"ompdd/target", "libompd/code/aarch64.c", "libompd/code/image.c", "libompd/code/x86_64.c"},
    "link.h": {"ompdd/target"},
    "dwarf.h": {"ompdd/target"},
    "dlfcn.h": {"ompdd/openmp/plugin/plugin.c", "runtime/tools"},
    "json-c/": {"ompdd/rpc", "ompdd/session", "ompdd/server", "ompdd/worker/loop.c", "ompdd/methods", "clients/cli",
               "clients/dap"},
    "json.h": set(),
    "curl/": {"clients/cli/http_main.c"},
    "gnutls/": {"ompdd/server/tls.c", "clients/cli/tls_main.c"},
    "Zydis/": {"libompd/code/x86_64.c"},
    "elfutils/": {"ompdd/target"},
}
# Called function: where it may be called, whatever was included.
CALLS = {
    r"\bptrace\s*\(": {"ompdd/target"},
    r"\bprocess_vm_(?:readv|writev)\s*\(": {"ompdd/target"},
    r"\bdl(?:m?open|sym|vsym)\s*\(": {"ompdd/openmp/plugin/plugin.c", "runtime/tools/ompt_find.c"},
    r"\b(?:socket|bind|listen|accept4?|connect)\s*\(": {"ompdd/server", "ompdd/base/net_owner.c", "clients/cli", "clients/dap/main.c"},
}
# What is peculiar to a runtime stands in its profile: nobody else asks which one it is.
ASKS = {
    r"->profile\s*[!=]=|&profile_\w+": {"ompdd/openmp/runtimes"},
}
SOURCES = ("ompdd", "libompd", "runtime", "clients")


def owner(relative, table):
    """The longest entry of `table` (folders and files) that holds the file, or None."""
    text = relative.as_posix()
    fitting = [entry for entry in table if text == entry or text.startswith(entry + "/")]
    return max(fitting, key=len, default=None)


def resolve(root, path, name):
    """The file of the house that an include means, or None for one that is not ours."""
    for base in (path.parent, root / "ompdd", root / "libompd", root / "runtime/include", root / "runtime", root / "clients/cli",
                 root / "clients/dap", root / "clients"):
        if (base / name).is_file():
            return (base / name).resolve().relative_to(root)
    return None


def allowed_at(relative, places):
    return owner(relative, places) is not None


def check(root):
    for path in source.files(root, ".c", ".h", parts=SOURCES):
        relative = path.relative_to(root)
        text = path.read_text()
        me = owner(relative, ARROWS)
        if me is None:
            yield f"{relative}:1: no rule says what this folder may include: add it to {pathlib.Path(__file__).name}"
            continue
        for line, name, angled in source.includes(text):
            meant = resolve(root, path, name)
            if meant is not None:
                folder = meant.parent.as_posix()
                into = owner(meant, ARROWS[me]) or owner(meant, ARROWS) or folder
                if into not in ARROWS[me]:
                    yield f"{relative}:{line}: {me} may not include {into} (\"{name}\")"
                elif not angled and "/" not in name and relative.parts[0] == "ompdd" and folder.startswith("ompdd/"):
                    yield f"{relative}:{line}: includes are rooted at ompdd/: \"{folder.removeprefix('ompdd/')}/{name}\""
            for foreign, places in FOREIGN.items():
                if (name == foreign or (foreign.endswith("/") and name.startswith(foreign))) \
                        and meant is None and not allowed_at(relative, places):
                    yield f"{relative}:{line}: <{name}> only in {', '.join(sorted(places)) or 'no place'}"
        code = source.code_of(text)
        for pattern, places in CALLS.items():
            if not allowed_at(relative, places):
                for line, call in source.lines_with(pattern, code):
                    yield f"{relative}:{line}: {call.rstrip('( ')}() only in {', '.join(sorted(places))}"
        for pattern, places in ASKS.items():
            if not allowed_at(relative, places):
                for line, text in source.lines_with(pattern, code):
                    yield f"{relative}:{line}: {text}: which runtime it is, is asked only in {', '.join(sorted(places))}"
    for path in source.files(root, ".c", ".h", ".cpp", parts=("tests", "protocol")):
        for line, name, _ in source.includes(path.read_text()):
            meant = resolve(root, path, name)
            if meant and meant.parts[0] == "clients" and not {"cli", "dap", "two_levels.h"}.intersection(path.parts):
                yield f"{path.relative_to(root)}:{line}: nobody may include clients (\"{name}\")"


if __name__ == "__main__":
    source.report(check)
