# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running a program on a runtime: ours of the build, or the system's libgomp."""
import os

BUILD = os.environ.get("OMPDD_BUILD_DIR", "/work/build")
OURS = os.path.join(BUILD, "lib", "ompdd")
SYSTEM = None


def environment(runtime, **variables):
    """The caller's environment without OpenMP variables, with @runtime (a folder; None: the system's) and @variables."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "GOMP_", "LD_"))}
    if runtime:
        env["LD_LIBRARY_PATH"] = runtime
    return {**env, **variables}
