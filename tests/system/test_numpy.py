# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""numpy on OpenBLAS with OpenMP, beside an extension with another OpenMP runtime: each has its own regions in the
answer.
"""
import pathlib
import subprocess

import pytest
from snapshots import check_oracle, has_rc
from targets import PROGRAMS, wait_until
from test_runtimes import NAME, OTHER, of_runtime, stock

PYTHON = "/usr/bin/python3"
# One thread multiplies matrices forever, another is in the extension's nest. The main thread waits for them.
SCRIPT = """
import ctypes, json, os, sys, threading
import numpy

def say(**line):
    os.write(1, (json.dumps(line) + "\\n").encode())

def multiply():
    one = numpy.ones((300, 300))
    say(tid=threading.get_native_id(), by="run", numpy=True)
    while True:
        one @ one

say(pid=os.getpid(), lines=6)
threading.Thread(target=multiply, daemon=True).start()
part = ctypes.CDLL(sys.argv[1])
threading.Thread(target=part.dlopen_part_run, daemon=True).start()
sys.stdin.read()
os._exit(0)
"""
MAPPED = """
import numpy
numpy.ones((300, 300)) @ numpy.ones((300, 300))
print(*{line.split()[-1] for line in open("/proc/self/maps") if "blas" in line or "lapack" in line or "libgomp.so.1" in line})
"""


def openblas():
    """The files of numpy's OpenBLAS that use libgomp."""
    done = subprocess.run([PYTHON, "-c", MAPPED], capture_output=True, text=True)
    blas = [path for path in map(pathlib.Path, done.stdout.split()) if "openblas" in str(path) and NAME in path.read_bytes()]
    if done.returncode or not blas:
        pytest.skip("no numpy on OpenBLAS with OpenMP (Debian: python3-numpy, libopenblas0-openmp)")
    return blas


@pytest.fixture(params=["wheel", "clang"])
def folder(request, tmp_path):
    """Either OpenBLAS has its own libgomp, as in a wheel, and the extension the system's, or the extension has LLVM's.
    """
    blas = openblas()
    part = PROGRAMS / "dlopen_part.so"
    if request.param == "clang":
        part = PROGRAMS / "llvm" / "dlopen_part.so"
        if not part.exists():
            pytest.skip("no clang with libomp")
    else:
        for source in [pathlib.Path(stock()), *blas]:
            name = OTHER.decode() if "libgomp" in source.name else "libopenblas.so.0" if "libopenblas" in source.name else source.name
            (tmp_path / name).write_bytes(source.read_bytes().replace(NAME, OTHER))
    (tmp_path / "part.so").write_bytes(part.read_bytes())
    return tmp_path


def test_numpy_beside_an_extension(folder, mode, program, client):
    one = program("numpy", "-c", SCRIPT, folder / "part.so", path=PYTHON,
                  env={"LD_LIBRARY_PATH": str(folder), "OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"})
    (numpys,) = [tid for tid, line in one.lines.items() if line.get("numpy")]
    target = client.target.attach(pid=one.pid, mode=mode)["target"]

    def seen():
        """A snapshot of both during a multiplication: numpy's thread is in a region of two."""
        result = client.snapshot.get(target=target)
        for thread in result["threads"]:
            if thread["tid"] != numpys or not thread["openmp"] or has_rc(thread["parallel"]):
                continue
            region = next(region for region in result["parallels"] if region["handle"] == thread["parallel"])
            if region["level"] == 1 and len(region["threads"]) == 2:
                return result, thread["runtime"], region
        return None
    result, index, region = wait_until(seen, "a product in parallel")
    assert len(result["runtimes"]) == 2
    # The extension's nest belongs to the other runtime, as its threads report.
    snapshot = of_runtime(result, 1 - index)
    assert len(one.oracle()) == 5
    for line in one.oracle().values():
        check_oracle(snapshot, line)
    blas = result["runtimes"][index]["path"]
    assert pathlib.Path(blas).name.startswith(OTHER.decode() if (folder / OTHER.decode()).exists() else "libgomp.so.1"), blas
    assert not set(region["threads"]) & set(one.oracle())
    assert "several_runtimes" in [warning["name"] for warning in result["warnings"]]
