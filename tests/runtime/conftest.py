# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import subprocess

import pytest

from support import OURS


def pytest_collection_modifyitems(items):
    if not os.path.exists(os.path.join(OURS, "libgomp.so.1")):
        for item in items:
            item.add_marker(pytest.mark.skip(reason="the runtime is not built: target omprt"))


@pytest.fixture(scope="session")
def compiled(tmp_path_factory):
    """compiled(source, name[, flags]): the path of a program, compiled once with gcc -fopenmp, without offloading."""
    folder = tmp_path_factory.mktemp("programs")

    def compile_once(source, name, *flags, compiler="gcc", suffix=".c"):
        program = folder / name
        if not program.exists():
            (folder / (name + suffix)).write_text(source)
            # Without libgomp's symbols a program would not load it.
            subprocess.run([compiler, "-fopenmp", "-foffload=disable", "-O1", "-w", *flags, str(folder / (name + suffix)), "-o", str(program),
                            "-Wl,--no-as-needed", "-lgomp"], check=True, timeout=600)
        return str(program)

    return compile_once
