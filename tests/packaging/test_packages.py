# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Debian packages, built in both ways: their contents, and that the unpacked files work."""
import json
import os
import pathlib
import subprocess

import pytest

PACKAGES = {"ompdd", "libompd", "libompdd-client0", "libompdd-client-dev", "ompdd-runtime", "python3-ompdd"}
HOLDS = {
    "ompdd": ["usr/bin/ompdctl", "usr/bin/ompdd", "usr/bin/ompdd-dap", "usr/libexec/ompdd/ompdd-worker", "usr/libexec/ompdd/ompdd-tracer",
              "usr/share/bash-completion/completions/ompdctl", "usr/share/ompdd/openrpc.json", "lib/systemd/system/ompdd.socket",
              "lib/systemd/system/ompdd.service", "usr/lib/systemd/user/ompdd.socket", "lib/tmpfiles.d/ompdd.conf", "lib/sysusers.d/ompdd.conf",
              "/ompdd/ompdd.conf", "/man5/ompdd.conf.5"],
    "libompd": ["/ompdd/libompd.so", "usr/include/ompdd/omp-tools.h", "/pkgconfig/libompd.pc", "/cmake/ompdd/ompdd-config.cmake"],
    "libompdd-client0": ["/libompdd-client.so.0"],
    "libompdd-client-dev": ["usr/include/ompdd/client.h", "/libompdd-client.so ", "/pkgconfig/libompdd-client.pc", "/man7/libompdd-client.7"],
    "ompdd-runtime": ["/ompdd/libgomp.so.1"],
    "python3-ompdd": ["usr/lib/python3/dist-packages/ompdd/client.py"],
}


def run(*args, **more):
    done = subprocess.run([str(arg) for arg in args], capture_output=True, text=True, timeout=10000, **more)
    assert done.returncode == 0, (args, done.stdout[-3000:], done.stderr[-3000:])
    return done.stdout


@pytest.fixture
def built():
    """The output of build.sh."""
    return pathlib.Path(os.environ["OMPDD_PACKAGES"])


def packages(folder):
    return {path.name.split("_")[0]: path for path in folder.glob("*.deb") if "-dbgsym" not in path.name}


@pytest.mark.parametrize("way", ["debian", "cpack"])
def test_the_packages_and_what_they_hold(built, way):
    found = packages(built / way)
    assert set(found) == PACKAGES
    for name, path in found.items():
        names = run("dpkg-deb", "-c", path)
        for part in HOLDS[name]:
            assert part in names, (name, part)


@pytest.mark.parametrize("way", ["debian", "cpack"])
def test_unpacked_programs_work(built, way, tmp_path):
    for path in packages(built / way).values():
        run("dpkg-deb", "-x", path, tmp_path)
    demo = subprocess.Popen([str(pathlib.Path(os.environ["OMPDD_BUILD_DIR"]) / "bin" / "demo")], stdout=subprocess.PIPE, text=True)
    try:
        demo.stdout.readline()
        told = json.loads(run(tmp_path / "usr" / "bin" / "ompdctl", "-p", demo.pid, "info", "--json"))
        assert told["plugin"]["path"].startswith(str(tmp_path))
    finally:
        demo.kill()
        demo.wait()
        demo.stdout.close()
