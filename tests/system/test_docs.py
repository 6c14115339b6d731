# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The documents are right: their commands run, and their transcripts show the real output."""
import collections
import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys

import ompdd
import pytest
import validator
from cores import gcore
from daemons import BIN, SANITIZED
from targets import BUILD, SYSCALL, Program, tasks, wait_until

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = {str(path.relative_to(ROOT)): path.read_text()
             for folder in (".", "docs", "protocol", "libompd", "runtime", "clients/python")
             for path in sorted((ROOT / folder).glob("*.md")) if path.name != "METHODS.md"}
README = DOCUMENTS["README.md"]
PROTOCOL = DOCUMENTS["protocol/PROTOCOL.md"]


def blocks(text, language=""):
    """Return the fenced blocks of a document in a language."""
    inside, found = None, []
    for line in text.splitlines(keepends=True):
        if not line.startswith("```"):
            if inside is not None:
                inside[1].append(line)
        elif inside is None:
            inside = (line[3:].strip(), [])
        else:
            found.append(inside)
            inside = None
    return ["".join(lines) for name, lines in found if name == language]


Parked = collections.namedtuple("Parked", "pid")


@contextlib.contextmanager
def demo():
    """README's program, ready, its other threads in their places. The pid."""
    process = subprocess.Popen([str(BIN / "demo")], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    try:
        process.stdout.readline()
        # Three threads are in pause(); one of them holds the lock for which the other two sleep.
        wait_until(lambda: sorted(read_syscalls(process.pid)) == sorted([*SYSCALL["pause"], *SYSCALL["futex"]] * 2), "all parked")
        yield process.pid
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def read_syscalls(pid):
    for tid in os.listdir(f"/proc/{pid}/task"):
        text = pathlib.Path(f"/proc/{pid}/task/{tid}/syscall").read_text()
        yield int(text.split()[0]) if text[0].isdigit() else -1


def plain(text, tids=None):
    """Return a view without the parts that vary: process and thread ids (in a document, relative to the process),
    addresses, times, widths.
    """
    pid = int(re.search(r"\(pid (\d+)\)", text).group(1))
    tids = tids or range(pid, pid + 51)
    text = re.sub(r"0x[0-9a-f]+", "ADDR", text)
    text = re.sub(r"(?<=stopped for )[\d.]+ \S+", "TIME", text)
    text = re.sub(r"\b\d+\b", lambda number: "ID" if int(number.group()) in tids else number.group(), text)
    text = re.sub(r"\S*bin/demo", "PATH/demo", text)
    text = re.sub(r"(?<=, libgomp )\d+", "RELEASE", text)
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def transcripts(text):
    """Return (view, printed output) of each `$ ompdctl -p PID view` in README."""
    for block in blocks(text):
        for view, output in re.findall(r"^\$ ompdctl -p \d+ (\w+)\n(.*?)(?=^\$ |\Z)", block, re.M | re.S):
            yield view, output


@pytest.mark.parametrize("view,output", list(transcripts(README)),
                         ids=[view for view, _ in transcripts(README)])
def test_transcripts_of_the_readme(view, output):
    """Chance decides which thread gets the demo's lock: the printed view must be a possible one."""
    seen = []
    for _ in range(60):
        with demo() as pid:
            done = subprocess.run([str(BIN / "ompdctl"), "--max-stop-ms", "60000", "-p", str(pid), view],
                                  capture_output=True, text=True, check=True)
            tids = tasks(pid)
        seen.append(plain(done.stdout, tids))
        if seen[-1] == plain(output):
            return
    assert plain(output) in seen, done.stdout


def test_readme_has_transcripts():
    assert {view for view, _ in transcripts(README)} >= {"tree", "threads"}


@pytest.fixture
def runtime_dir(tmp_path):
    """Return XDG_RUNTIME_DIR with a daemon on the default socket."""
    process = subprocess.Popen([str(BIN / "ompdd")], stdout=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL,
                               env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)})
    try:
        assert process.stdout.readline().startswith("listening on unix:")
        yield tmp_path
    finally:
        process.terminate()
        assert process.wait(600) == 0
        process.stdout.close()


def commands_of(block):
    """Return the commands of a block without comments, and without the daemon, which the tests start themselves."""
    lines = [re.split(r"\s{2,}#", line)[0].strip() for line in block.splitlines()]
    return [line for line in lines if line and not line.startswith("build/bin/ompdd &")]


def run_block(block, pid, core, folder):
    """Run the commands of a document unchanged, except for the folder of the programs, the pid and the core."""
    script = "set -eu\n" + "\n".join(commands_of(block))
    for name, real in (("$PWD/build", str(BUILD)), ("build/bin/", f"{BIN}/"), ("PID", str(pid)), ("--core FILE", f"--core {core}")):
        script = script.replace(name, real)
    # The user's own OMPDD_URI would lead to another daemon.
    env = {name: value for name, value in os.environ.items() if name != "OMPDD_URI"}
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, cwd=folder, timeout=600,
                          env={**env, "XDG_RUNTIME_DIR": str(folder)})
    assert done.returncode == 0, (script, done.stdout, done.stderr)
    return done.stdout


# Return whether a block needs more than a program and a daemon, and the test that runs it.
RUN_ELSEWHERE = {
    "ompdctl --job": "docs/cluster.md on a real Slurm: the preset cluster",
    "clush": "docs/cluster.md: the preset cluster",
    "ompdctl timeout": "the recipes of docs/ci.md: test_timeout.py",
    "libompdd-client": "docs/clients.md: test_client_library.py",
    "ompdctl page": "serves until it is told to end: test_page.py",
    "apt-get": "README's two set-up commands: .ci/run, and the releases of the preset matrix",
}
RUNTIME_BLOCK = "build/lib/ompdd build/bin/demo"
BLOCKS = [pytest.param(block, id=f"{name}-{number}") for name, text in DOCUMENTS.items()
          for number, block in enumerate(blocks(text, "sh")) if not any(word in block for word in RUN_ELSEWHERE)]


@pytest.mark.parametrize("block", BLOCKS)
def test_commands_of_the_documents(block, runtime_dir):
    if RUNTIME_BLOCK in block and SANITIZED:
        pytest.skip("this build's runtime has a sanitizer that its programs do not start with")
    with demo() as pid:
        core = gcore(Parked(pid), runtime_dir) if "--core FILE" in block else None
        assert run_block(block, pid, core, runtime_dir)


def test_service_commands_of_the_readme(runtime_dir):
    """The answers to curl and nc match the schema."""
    block = next(block for block in blocks(README, "sh") if "nc -UN" in block)
    with Program("nested", 2, 2) as program:
        lines = run_block(block, program.pid, None, runtime_dir).splitlines()
        assert re.search(r"\bt1\b", lines[0])
        validator.check("thread.list", "result", json.loads(lines[1]))
        for line in lines[2:4]:
            validator.check_response(json.loads(line), "snapshot.get")


PYTHON = [pytest.param(block, id=f"{name}-{number}") for name, text in DOCUMENTS.items()
          for number, block in enumerate(blocks(text, "python")) if '"ompdctl", "timeout"' not in block]


@pytest.mark.parametrize("block", PYTHON)
def test_python_of_the_documents(block, daemon, program, tmp_path):
    """In a process of its own, with README's module path, and with the socket and the pid of the test."""
    one = program("nested", 2, 2)
    code, uris = re.subn(r'"unix:[^"]+"', repr(daemon.uris[0]), block)
    code, pids = re.subn(r"pid=\d{2,}", f"pid={one.pid}", code)
    assert uris == 1 and pids == 1 and "PYTHONPATH=clients/python" in README
    script = tmp_path / "ask.py"
    script.write_text(code.replace("build/bin/", f"{BIN}/"))
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=600,
                          env={**os.environ, "PYTHONPATH": str(ROOT / "clients" / "python")})
    assert done.returncode == 0, done.stderr
    assert all(str(tid) in done.stdout for tid in one.lines)


def test_who_tests_has_what_building_needs():
    building, testing = ((ROOT / folder / "packages.txt").read_text().split() for folder in ("packaging", "tests"))
    assert "$(cat packaging/packages.txt)" in README and "$(cat tests/packages.txt)" in README
    assert building and set(building) <= set(testing)


def matches(pattern, text):
    """Return whether a printed line matches the document's line, in which … stands for anything."""
    return re.fullmatch(".*?".join(re.escape(part) for part in pattern.split("…")), text, re.S)


def test_transcripts_of_the_protocol(runtime_dir):
    shown = [match for block in blocks(PROTOCOL) for match in re.findall(r"^\$ (.*)\n(.*)$", block, re.M)]
    assert shown
    with Program("flat", 2) as program:
        for command, answer in shown:
            done = subprocess.run(["bash", "-c", command.replace("4711", str(program.pid))], capture_output=True, text=True,
                                  timeout=600, env={**os.environ, "XDG_RUNTIME_DIR": str(runtime_dir)})
            assert matches(answer.replace("4711", str(program.pid)), done.stdout.strip()), (command, done.stdout, done.stderr)


def test_error_example_of_the_protocol(client):
    shown = next(block for block in blocks(PROTOCOL, "json") if "invalid_params" in block)
    with pytest.raises(ompdd.Error) as caught:
        client.call("target.attach", {"pid": "x"}, validate=False)
    expected = json.loads(shown)

    def compare(printed, real):
        if isinstance(printed, dict):
            assert set(printed) == set(real), real
            for key in printed:
                compare(printed[key], real[key])
        elif isinstance(printed, str):
            assert matches(printed, real), (printed, real)
        else:
            assert printed == real
    compare(expected["data"], caught.value.data)
    assert matches(expected["message"], caught.value.message) and expected["code"] == caught.value.code


def test_names_in_the_documents_exist():
    """Methods in backquotes in the prose are in the schema."""
    for text in DOCUMENTS.values():
        for name in re.findall(r"`((?:daemon|rpc|target|snapshot|thread|parallel|task|icv|handle|request|ompd)\.(?![ch]`)[a-z_]+)`", text):
            assert name in validator.methods() or name == "ompd.rel_", name


def test_options_in_the_documents_exist():
    """Every --option in a document belongs to ompdd, ompdctl, or a program that the document names."""
    known = "".join(subprocess.run([str(BIN / name), *args], capture_output=True, text=True).stdout
                    for name, *args in (("ompdctl", "help", "options"), ("ompdd", "--help"), ("ompdd-dap", "--help")))
    known += "--interleave --overlap --now --workflow --preset --cap-add --unix-socket --docs --only --install --help --fix --output-on-failure --command --test-dir --undisturbed --programs --strict --cflags --libs"
    for text in DOCUMENTS.values():
        for option in set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text)):
            assert option in known, option
