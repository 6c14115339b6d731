#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Allowed includes: the arrows of the house (CONTRIBUTING.md, "The map"), and the places of foreign interfaces."""
import pathlib
import re

import source

# Sets of lower folders.
PLUGIN = {"ompdd/openmp/plugin", "ompdd/target", "ompdd/base", "runtime/include"}
RUNTIMES = {"ompdd/openmp/runtimes"} | PLUGIN
WORKER = {"ompdd/openmp", "ompdd/target", "ompdd/rpc", "ompdd/base"}
METHODS = {"ompdd/worker", "runtime/include"} | WORKER
# The folders of the runtime from the top. Each one may include itself and those below it.
RUNTIME = ("abi", "core/team", "core/loop", "core/task", "tools", "core/icv", "core/alloc", "core/affinity", "core/sync", "core/state", "os")
# The folders of ompdd/target in their order: each includes those before it; process and core do not include each other; dump is above both.
# TARGET: the target itself, between them.
TARGET = {"ompdd/target/target.h", "ompdd/target/target_ops.h", "ompdd/target/control.h"}
BELOW = [f"ompdd/target/{name}" for name in ("arch", "proc", "trace", "sandbox", "stop", "memory")]
ABOVE = [f"ompdd/target/{name}" for name in ("elf", "modules", "unwind", "source", "process")]

# Folder: the folders whose headers it may include. A folder stands for its subfolders, but not for subfolders beside or below
# the includer. Generated headers have no folder and are free for rpc, methods and session.
ARROWS = {
    "ompdd/base": {"ompdd/base"},
    "ompdd/rpc": {"ompdd/rpc", "ompdd/base"},
    "ompdd/session": {"ompdd/session", "ompdd/rpc", "ompdd/base"},
    "ompdd/server": {"ompdd/server", "ompdd/session", "ompdd/rpc", "ompdd/base"},
    **{folder: {"ompdd/base", *BELOW[:i + 1]} for i, folder in enumerate(BELOW)},
    "ompdd/target": {"ompdd/base", *BELOW, *TARGET},
    **{folder: {"ompdd/base", *BELOW, *TARGET, *ABOVE[:i + 1]} for i, folder in enumerate(ABOVE)},
    "ompdd/target/dump": {"ompdd/base", *BELOW, *TARGET, *ABOVE, "ompdd/target/core", "ompdd/target/dump"},
    "ompdd/target/core": {"ompdd/base", *BELOW, *TARGET, *ABOVE[:-1], "ompdd/target/core"},
    "ompdd/tracer": {"ompdd/tracer", "ompdd/base", *BELOW[:3], "ompdd/target/memory"},
    "ompdd/openmp/plugin": {"ompdd/openmp/plugin", "ompdd/target", "ompdd/base", "runtime/include"},
    "ompdd/openmp/runtimes/quirks": {"ompdd/openmp/runtimes/quirks"} | PLUGIN,
    "ompdd/openmp/runtimes": {"ompdd/openmp/runtimes", "ompdd/openmp/runtimes/quirks"} | PLUGIN,
    "ompdd/openmp/model/handle": {"ompdd/openmp/model/handle"} | PLUGIN,
    "ompdd/openmp/model": {"ompdd/openmp/model", "ompdd/openmp/model/handle"} | RUNTIMES,
    "ompdd/openmp/model/state": {"ompdd/openmp/model/state", "ompdd/openmp/model", "ompdd/openmp/model/handle"} | RUNTIMES,
    "ompdd/openmp/model/walk": {"ompdd/openmp/model/walk", "ompdd/openmp/model/state", "ompdd/openmp/model", "ompdd/openmp/model/handle"} | RUNTIMES,
    "ompdd/openmp/model/wait": {"ompdd/openmp/model/wait", "ompdd/openmp/model/state", "ompdd/openmp/model", "ompdd/openmp/model/handle"} | RUNTIMES,
    "ompdd/openmp/stacks/code": {"ompdd/openmp/stacks/code", "libompd/code", "ompdd/openmp/model"} | RUNTIMES,
    "ompdd/openmp/stacks": {"ompdd/openmp/stacks", "ompdd/openmp/stacks/code", "libompd/code", "ompdd/openmp/model"} | RUNTIMES,
    "ompdd/openmp/devices": {"ompdd/openmp/devices", "libompd/code"} | RUNTIMES,
    "ompdd/openmp/python": {"ompdd/openmp/python", "ompdd/openmp/stacks", "ompdd/openmp/model"} | RUNTIMES,
    "ompdd/openmp/sampling": {"ompdd/openmp/sampling", "ompdd/openmp/python", "ompdd/openmp/stacks", "ompdd/openmp/model"} | RUNTIMES,
    "ompdd/openmp/sampling/sampler": {"ompdd/openmp/sampling/sampler", "ompdd/openmp/sampling", "ompdd/openmp/stacks", "ompdd/openmp/model"} | RUNTIMES,
    "ompdd/worker/context": {"ompdd/worker/context"} | WORKER,
    "ompdd/worker/control": {"ompdd/worker/control", "ompdd/worker/context"} | WORKER,
    "ompdd/worker/sampler": {"ompdd/worker/sampler", "ompdd/worker/context"} | WORKER,
    "ompdd/worker": {"ompdd/worker", "ompdd/worker/control", "ompdd/worker/sampler", "ompdd/worker/context"} | WORKER,
    "ompdd/worker/capture": {"ompdd/worker/capture", "ompdd/worker", "ompdd/worker/context"} | WORKER,
    "ompdd/view": {"ompdd/view", "ompdd/rpc", "ompdd/base"},
    "ompdd/methods/json": {"ompdd/methods/json"} | METHODS,
    "ompdd/methods/ompd": {"ompdd/methods/ompd", "ompdd/methods/json"} | METHODS,
    "ompdd/methods": {"ompdd/methods", "ompdd/methods/ompd", "ompdd/methods/json", "ompdd/view"} | METHODS,
    "ompdd/methods/diagnose": {"ompdd/methods/diagnose", "ompdd/methods", "ompdd/methods/json"} | METHODS,
    "ompdd/main_daemon.c": {"ompdd/server", "ompdd/session", "ompdd/rpc", "ompdd/base"},
    "ompdd/main_worker.c": {"ompdd/methods", "ompdd/worker", "ompdd/openmp", "ompdd/target", "ompdd/rpc", "ompdd/base"},
    "libompd": {"libompd", "runtime/include", "runtime/layout"},
    **{f"runtime/{folder}": {f"runtime/{below}" for below in RUNTIME[i:]} | {"runtime/include"} for i, folder in enumerate(RUNTIME)},
    "runtime/abi": {"runtime/abi", "runtime/core", "runtime/tools", "runtime/os", "runtime/layout", "runtime/include"},
    "runtime/os": {"runtime/os"},
    "runtime/layout": {"runtime/layout"},
    "runtime/include": {"runtime/include"},
    "clients/lib": {"clients/lib", "ompdd/base", "ompdd/rpc"},
    "clients/cli": {"clients/cli", "clients/lib", "ompdd/base", "ompdd/rpc", "ompdd/view"},
    "clients/dap": {"clients/dap", "clients/cli", "clients/lib", "ompdd/base", "ompdd/rpc", "ompdd/view"},
}
# Headers of one folder only: struct stopper is the only way to the tracers.
HIDDEN = re.compile(r"ompdd/target/stop/(?:live|tracer)\w*\.h")
# Foreign header: the files or folders that may include it. Tests may include anything but clients.
FOREIGN = {
    "uv.h": {"ompdd/server"},
    "microhttpd.h": {"ompdd/server"},
    "sys/ptrace.h": {"ompdd/target", "ompdd/tracer"},
    "linux/ptrace.h": {"ompdd/target", "ompdd/tracer"},
    "sys/uio.h": {"ompdd/target", "ompdd/server"},
    "thread_db.h": {"ompdd/target"},
    "proc_service.h": {"ompdd/target"},
    "libelf.h": {"ompdd/target"},
    "gelf.h": {"ompdd/target"},
    "elf.h": {"ompdd/target", "ompdd/tracer", "libompd/code/aarch64.c", "libompd/code/image.c", "libompd/code/x86_64.c"},
    "link.h": {"ompdd/target"},
    "dwarf.h": {"ompdd/target"},
    "dlfcn.h": {"ompdd/openmp/plugin/plugin.c", "runtime/tools", "clients/lib/client.c"},
    "json-c/": {"ompdd/rpc", "ompdd/session", "ompdd/server", "ompdd/worker/loop.c", "ompdd/view", "ompdd/methods", "clients/lib", "clients/cli",
               "clients/dap"},
    "json.h": set(),
    "curl/": {"clients/cli/http_main.c", "clients/cli/push_main.c"},
    "gnutls/": {"ompdd/server/tls.c", "clients/cli/tls_main.c"},
    "Zydis/": {"libompd/code/x86_64.c"},
    "elfutils/": {"ompdd/target"},
}
# Called function: where it may be called, whatever was included.
CALLS = {
    r"\bptrace\s*\(": {"ompdd/target", "ompdd/tracer"},
    r"\bprocess_vm_(?:readv|writev)\s*\(": {"ompdd/target"},
    r"\bdl(?:m?open|sym|vsym)\s*\(": {"ompdd/openmp/plugin/plugin.c", "runtime/tools/ompt_find.c"},
    r"\b(?:socket|bind|listen|accept4?|connect)\s*\(": {"ompdd/server", "ompdd/base/net_owner.c", "clients/lib", "clients/cli", "clients/dap/main.c"},
}
SOURCES = ("ompdd", "libompd", "runtime", "clients")


def owner(relative, table):
    """Return the longest entry of `table` (folders and files) that contains the file, or None."""
    text = relative.as_posix()
    fitting = [entry for entry in table if text == entry or text.startswith(entry + "/")]
    return max(fitting, key=len, default=None)


def resolve(root, path, name):
    """Return the file of the house that an include names, or None for a foreign one."""
    for base in (path.parent, root / "ompdd", root / "libompd", root / "runtime/include", root / "runtime", root / "clients/cli", root / "clients/lib",
                 root / "clients/dap", root / "clients"):
        if (base / name).is_file():
            return (base / name).resolve().relative_to(root)
    return None


def may_include(me, meant):
    """Whether an entry of @me has the file. Within a folder that has several entries, each is for itself."""
    own = owner(meant, ARROWS)
    return any(owner(meant, {entry}) and (own == entry or not f"{me}/".startswith(f"{entry}/")) for entry in ARROWS[me])


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
                if HIDDEN.fullmatch(meant.as_posix()) and me != folder:
                    yield f"{relative}:{line}: only {folder} includes \"{name}\": use stopper.h"
                elif not may_include(me, meant):
                    yield f"{relative}:{line}: {me} may not include {owner(meant, ARROWS) or folder} (\"{name}\")"
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
    for path in source.files(root, ".c", ".h", ".cpp", parts=("tests", "protocol")):
        for line, name, _ in source.includes(path.read_text()):
            meant = resolve(root, path, name)
            if meant and meant.parts[0] == "clients" and not {"cli", "client", "client_library.c", "dap", "drawn_view.h", "two_levels.h"}.intersection(path.relative_to(root).parts):
                yield f"{path.relative_to(root)}:{line}: nobody may include clients (\"{name}\")"


if __name__ == "__main__":
    source.report(check)
