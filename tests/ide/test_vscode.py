# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""VS Code in a browser, with the extension: a user's session. Its pictures stay in the build folder."""
import json
import pathlib
import shutil
import subprocess

import pytest
from conftest import BUILD, HERE

EXTENSION = HERE.parents[1] / "clients" / "vscode"
STEPS = ["open", "breakpoint", "stopped-in-region", "tree", "thread-selected", "parallel-stacks", "next-region-beside-lldb", "ended",
         "breakpoint-again", "stopped-by-ompdd", "next-region", "ended-again", "hang", "why", "why-graph", "over"]


def configuration(name, program, **more):
    folder = "${workspaceFolder}"
    return {"type": "openmp", "request": "launch", "name": f"OpenMP: {name}", "program": f"{folder}/{program}", "args": [], "cwd": folder, **more}


@pytest.fixture
def workspace(tmp_path):
    """The folder of the session: programs, configurations, extension, settings."""
    folder = BUILD / "ide" / "session"
    shutil.rmtree(folder, ignore_errors=True)
    work = folder / "workspace"
    (work / ".vscode").mkdir(parents=True)
    shutil.copy(HERE / "solve.c", work)
    subprocess.run(["gcc", "-g", "-O0", "-fopenmp", "-o", "solve", "solve.c"], cwd=work, check=True)
    shutil.copy(BUILD / "tests" / "programs" / "hangs" / "lock_cycle", work / "hang")
    (work / ".vscode" / "launch.json").write_text(json.dumps({"version": "0.2.0", "configurations": [
        configuration("solve", "solve"), configuration("step", "solve", mode="stop"), configuration("hang", "hang")]}))
    shutil.copytree(EXTENSION, folder / "extensions" / "ompdd.openmp-0.2.0")
    for name, settings in {
        "User": {"workbench.startupEditor": "none", "telemetry.telemetryLevel": "off", "extensions.autoUpdate": False,
                 "extensions.autoCheckUpdates": False, "git.enabled": False, "debug.internalConsoleOptions": "neverOpen",
                 "editor.minimap.enabled": False, "chat.disableAIFeatures": True},
        "Machine": {"openmp.adapter": str(BUILD / "bin" / "ompdd-dap")},
    }.items():
        (folder / "user" / name).mkdir(parents=True)
        (folder / "user" / name / "settings.json").write_text(json.dumps(settings))
    return folder


def test_session(modules, node, workspace):
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if not browser:
        pytest.skip("no browser: apt install chromium")
    done = subprocess.run([node, HERE / "session.js", modules, browser, workspace], capture_output=True, text=True, timeout=3000)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}\npictures: {workspace}"
    passed = [line.split()[2] for line in done.stdout.split("\n") if line.startswith("ok ")]
    assert passed == STEPS, done.stdout
    assert len(list(workspace.glob("*.png"))) == len(STEPS), "a picture of each"


def test_extension_is_packed(modules, node, tmp_path):
    """Packaged by Microsoft's own tool from the unchanged sources."""
    folder = tmp_path / "vscode"
    shutil.copytree(EXTENSION, folder)
    shutil.copy(HERE.parents[1] / "LICENSE", folder)
    done = subprocess.run([node, modules / "@vscode" / "vsce" / "vsce", "package", "--out", tmp_path / "openmp.vsix"], cwd=folder,
                          capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    listing = subprocess.run([node, modules / "@vscode" / "vsce" / "vsce", "ls"], cwd=folder, capture_output=True, text=True, timeout=600).stdout
    names = {pathlib.PurePath(line).name for line in listing.split()}
    assert {"package.json", "extension.js", "page.js", "page.css", "README.md"} <= names and "tree.test.js" not in names, listing
