# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""VS Code in a browser, with the extension: a user's session. Its pictures stay in the build folder."""
import json
import pathlib
import re
import shutil
import subprocess
import zipfile

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
    """Packaged by Microsoft's own tool from the unchanged sources, as a store takes it."""
    folder = tmp_path / "vscode"
    shutil.copytree(EXTENSION, folder)
    manifest = json.loads((folder / "package.json").read_text())
    package = BUILD / f"{manifest['name']}-{manifest['version']}.vsix"
    vsce = [node, modules / "@vscode" / "vsce" / "vsce"]
    done = subprocess.run([*vsce, "package", "--no-rewrite-relative-links", "--out", package], cwd=folder, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 and "WARNING" not in done.stdout + done.stderr, done.stdout + done.stderr
    with zipfile.ZipFile(package) as packed:
        names = {name.removeprefix("extension/") for name in packed.namelist()}
    pictures = set(re.findall(r"\]\((media/[^)]+)\)", (folder / "README.md").read_text()))
    pictures |= {step["media"]["image"] for walk in manifest["contributes"]["walkthroughs"] for step in walk["steps"]}
    assert pictures >= {"media/tree.png", "media/why.png"} and pictures <= names, names
    assert {"package.json", "src/extension.js", "media/page.js", "media/page.css", manifest["icon"], "readme.md", "LICENSE.txt"} <= names, names
    assert not any("test" in name for name in names), names
