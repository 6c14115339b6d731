# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The wheel that `pip install clients/python` makes: complete, and enough for a client."""
import importlib.util
import pathlib
import shutil
import subprocess
import sys
import zipfile

import pytest

SOURCE = pathlib.Path(__file__).parents[2] / "clients" / "python"

pytestmark = pytest.mark.skipif(not all(map(importlib.util.find_spec, ("setuptools", "wheel"))), reason="no setuptools and wheel here")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The folder into which the wheel is unpacked, as an installation does."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    shutil.copytree(SOURCE, source, ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run([sys.executable, "-c", "import setuptools.build_meta; setuptools.build_meta.build_wheel('..')"], cwd=source,
                   check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    assert built.name.startswith("ompdd-") and built.name.endswith("-py3-none-any.whl")
    zipfile.ZipFile(built).extractall(folder / "site")
    return folder / "site"


def test_all_modules_are_in_it(wheel):
    files = {path.relative_to(SOURCE) for path in (SOURCE / "ompdd").rglob("*") if path.suffix in (".py", ".typed")}
    assert files and files <= {path.relative_to(wheel) for path in wheel.rglob("*")}


def test_its_client_needs_nothing_else(wheel, daemon):
    code = f"""
import importlib.metadata, ompdd, sys
with ompdd.connect("{daemon.uris[0]}") as client:
    print(client.daemon.info()["version"], importlib.metadata.version("ompdd"), ompdd.__file__)
"""
    done = subprocess.run([sys.executable, "-S", "-B", "-c", code], env={"PYTHONPATH": str(wheel)}, check=True, capture_output=True, text=True)
    service, client, path = done.stdout.split()
    assert service == client and path.startswith(str(wheel))
