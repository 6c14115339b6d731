#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The executables are held apart by their link lines: `check_links.py BIN_DIR LIB_DIR`.

ompdd has no ptrace, no dlopen and no ELF reader; ompdd-worker has no network; ompdd-tracer has nothing but
ptrace; libompd.so needs neither. ompdctl starts within milliseconds: libcurl is ompdctl-http's.
"""
import pathlib
import re
import subprocess
import sys

RULES = {
    "ompdd": {
        "needed": r"lib(elf|dw|thread_db|Zydis|ompd|gomp|omp)\b",
        "imports": r"(ptrace|process_vm_readv|process_vm_writev|dlopen|dlmopen|dlsym)",
    },
    "ompdd-worker": {
        "needed": r"lib(uv|microhttpd|ompd|gomp|omp)\b",
        "imports": r"(socket|bind|listen|accept4?|connect)",
    },
    "ompdd-tracer": {
        "needed": r"lib(elf|dw|thread_db|Zydis|json-c|uv|microhttpd|ompd|gomp|omp)\b",
        "imports": r"(dlopen|dlmopen|dlsym|socket|bind|listen|accept4?|connect)",
    },
    "ompdctl": {
        "needed": r"lib(curl|ncursesw?|tinfo|elf|dw|thread_db|Zydis|uv|microhttpd|ompd|gomp|omp)\b",
        "imports": r"(ptrace|process_vm_readv|process_vm_writev|dlopen|dlmopen|dlsym)",
    },
    # A library prints nothing, ends no process, and has no threads and no signal handlers.
    "libompdd-client.so": {
        "needed": r"lib(curl|gnutls|elf|dw|thread_db|Zydis|uv|microhttpd|gomp|omp)\b",
        "imports": r"(_?exit|abort|v?f?printf|__v?f?printf_chk|f?puts|perror|pthread_create|signal|sigaction|setenv|ptrace|dlopen|dlsym)",
    },
    "libompd.so": {
        "needed": r"lib(elf|dw|thread_db|uv|microhttpd|json-c|gomp|omp)\b",
        "imports": r"(ptrace|process_vm_readv|socket|dlopen|dlsym|open|open64|fopen|fopen64)",
    },
}


def readelf(option, path):
    return subprocess.run(["readelf", "-W", option, str(path)], check=True, capture_output=True, text=True).stdout


def check_file(path, rule):
    needed = re.findall(r"\(NEEDED\).*\[([^\]]+)\]", readelf("-d", path))
    for name in needed:
        if re.match(rule["needed"], name):
            yield f"{path.name}: needs {name}"
    if any(re.match(r"lib(a|ub|t)san", name) for name in needed):
        return  # A sanitizer's own imports are not ours.
    for line in readelf("--dyn-syms", path).splitlines():
        columns = line.split()
        if len(columns) > 7 and columns[6] == "UND" and re.fullmatch(rule["imports"], columns[7].split("@")[0]):
            yield f"{path.name}: imports {columns[7].split('@')[0]}"


def check(folders):
    for name, rule in RULES.items():
        paths = [folder / name for folder in folders if (folder / name).is_file()]
        if not paths:
            yield f"{name}: is not built"
        for path in paths:
            yield from check_file(path, rule)


if __name__ == "__main__":
    found = list(check([pathlib.Path(folder) for folder in sys.argv[1:]]))
    print("\n".join(found))
    sys.exit(1 if found else 0)
