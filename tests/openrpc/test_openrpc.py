# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""OpenRPC's own generator creates a TypeScript client from openrpc.json. It compiles, and talks to a real ompdd."""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

HERE = pathlib.Path(__file__).parent
OPENRPC = pathlib.Path(os.environ["OMPDD_BUILD_DIR"]) / "gen" / "openrpc.json"
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "ompdd-openrpc"


def run(*args, **options):
    done = subprocess.run([str(arg) for arg in args], capture_output=True, text=True, timeout=900, **options)
    assert done.returncode == 0, f"{args}:\n{done.stdout[-5000:]}\n{done.stderr[-5000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def packages():
    """Return the folder with node_modules, fetched once."""
    if not shutil.which("npm"):
        pytest.skip("npm is not here: apt install npm")
    wanted = (HERE / "package.json").read_bytes()
    folder = CACHE / hashlib.sha256(wanted).hexdigest()[:16]
    if not (folder / "complete").exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_bytes(wanted)
        done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=folder, capture_output=True,
                              text=True, timeout=900)
        if done.returncode:
            pytest.skip(f"npm install failed; is there a network? {done.stderr[-500:]}")
        (folder / "complete").touch()
    return folder


def generate(packages, folder):
    """The client's sources, with repairs of three defects of the generator that no document can avoid."""
    run("node", packages / "node_modules" / "@open-rpc" / "generator" / "build" / "cli.js", "generate", "-d", OPENRPC, "-o", folder,
        "-t", "client", "-l", "typescript", "-n", "ompdd_client", cwd=packages)
    source = folder / "client" / "typescript" / "src" / "index.ts"
    text = source.read_text()
    # Members with a dot in the name need quotes, a parameter cannot be called function, and named parameters must be
    # checked by name.
    text = re.sub(r"^  public ([a-z]+\.[a-z_]+):", r'  public "\1":', text, flags=re.M)
    text = re.sub(r"^(export type BreakpointSet = \(.*?)\bfunction\?:", r"\1function_?:", text, flags=re.M)
    text = text.replace("this.validator.validate(methodName, params)",
                        'this.validator.validate(methodName, _.zipObject(_.map(methodObject.params, "name"), params) as any)')
    source.write_text(text)
    return source.parent.parent


def compile_client(packages, folder):
    shutil.copy(HERE / "use.ts", folder / "src")
    (folder / "node_modules").symlink_to(packages / "node_modules")
    run("node", packages / "node_modules" / "typescript" / "bin" / "tsc", "--skipLibCheck", cwd=folder)
    return folder / "build" / "use.js"


def test_every_type_has_a_name_of_its_own():
    """No two types of a generated client are the same, or have a hash as name."""
    document = json.loads(OPENRPC.read_text())
    titles = []

    def walk(node):
        if set(node) == {"$ref"}:
            return
        titles.append(node["title"])
        assert node.get("type") != "array" or "items" in node, node["title"]
        assert not isinstance(node.get("type"), list), node["title"]
        children = [*node.get("properties", {}).values(), *node.get("anyOf", []), *node.get("allOf", []), node.get("items"),
                    node.get("additionalProperties")]
        for child in children:
            if isinstance(child, dict):
                walk(child)

    for method in document["methods"]:
        required = [param["required"] for param in method["params"]]
        assert required == sorted(required, reverse=True), f"{method['name']}: the required ones come first"
        for schema in [*(param["schema"] for param in method["params"]), method["result"]["schema"]]:
            walk(schema)
    for schema in document["components"]["schemas"].values():
        walk(schema)
    assert len(titles) == len(set(titles)) > 400


def test_generated_client(packages, program, daemons, tmp_path):
    script = compile_client(packages, generate(packages, tmp_path / "generated"))
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    daemon = daemons("--token-file", private / "token", listen=["http:127.0.0.1:0"])
    token = (private / "token").read_text().strip()
    host, _, port = daemon.uris[0].removeprefix("http:").rpartition(":")
    one = program("flat", 3)
    got = json.loads(run("node", script, host, port, token, one.pid))
    document = json.loads(OPENRPC.read_text())
    assert got["info"]["api"] == document["info"]["version"]
    assert got["attached"]["pid"] == one.pid == got["snapshot"]["pid"]
    assert {thread["tid"] for thread in got["threads"]} == set(one.lines)
    assert got["refused"] == "no_such_target" and got["unsent"]
    assert got["detached"] == {"target": got["attached"]["target"], "pid": one.pid}
