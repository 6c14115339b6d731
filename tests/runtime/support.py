# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running a program on a runtime: ours of the build, or the system's libgomp."""
import ctypes
import os
import subprocess

BUILD = os.environ.get("OMPDD_BUILD_DIR", os.path.join(os.path.dirname(__file__), "..", "..", "build"))
OURS = os.path.join(BUILD, "lib", "ompdd")
SYSTEM = None


def release_of_the_systems():
    """The gcc of the system's libgomp. Ours replaces gcc 12's: tests mark different answers of newer ones."""
    library = ctypes.CDLL("libgomp.so.1")
    first = {16: "omp_target_memset", 15: "GOMP_interop", 14: "GOMP_add_alloc", 13: "omp_in_explicit_task"}
    return next((release for release, name in first.items() if hasattr(library, name)), 12)


def environment(runtime, **variables):
    """Return the caller's environment without OpenMP variables, with @runtime (a folder; None: the system's) and
    @variables.
    """
    env = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "GOMP_", "LD_"))}
    if runtime:
        env["LD_LIBRARY_PATH"] = runtime
    return {**env, **variables}


def run_on_both(program, *args, ignored=None, **variables):
    """Return (code, stdout, stderr) on ours and on libgomp. Omit the texts of stdout that match the pattern @ignored."""
    results = []
    for runtime in (OURS, SYSTEM):
        result = subprocess.run([program, *args], env=environment(runtime, **variables), capture_output=True, text=True,
                                timeout=600)
        out = ignored.sub("", result.stdout) if ignored else result.stdout
        results.append((result.returncode, out, result.stderr))
    return results
