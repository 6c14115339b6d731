# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`ompdctl timeout`: as timeout(1), with the reason of the hang; and the recipes of docs/ci.md."""
import json
import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import sys
import uuid

import pytest
import validator
from daemons import BIN
from targets import BUILD, LIBGOMP, PROGRAMS, alive, children, tracer, wait_until

OMPDCTL = str(BIN / "ompdctl")
# The environment of the tests must not influence the program.
ENV = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "GOMP_", "OMPDD_"))}
if LIBGOMP:
    ENV["LD_LIBRARY_PATH"] = LIBGOMP


def run(*args, **options):
    options = {"capture_output": True, "text": True, "stdin": subprocess.DEVNULL, "timeout": 600, "env": ENV, **options}
    return subprocess.run([OMPDCTL, "timeout", "--max-stop-ms", "60000", *map(str, args)], **options)


def run_over(*args, programs=1, **options):
    """Run it with a limit within which the test programs print everything, however slow this machine is."""
    limit = 0.5
    while limit < 300:
        done = run(limit, *args, **options)
        said = [json.loads(line) for line in done.stdout.splitlines()]
        if sum("lines" in line for line in said) == programs and sum("tid" in line for line in said) == sum(line.get("lines", 0) for line in said):
            return done
        limit *= 2
    raise AssertionError("it is never ready")


@pytest.fixture
def parked():
    """Return a command line of the program that parks until the end of its input, which never comes."""
    reader, writer = os.pipe()

    def command(name, *args):
        return ("--", PROGRAMS / name, *map(str, args)), {"stdin": reader}
    yield command
    os.close(reader)
    os.close(writer)


def mark():
    return f"mark-{uuid.uuid4()}"


def with_mark(text):
    """Return the processes with this text in their command line."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and text in (entry / "cmdline").read_text(errors="replace") and alive(int(entry.name)):
                found.append(int(entry.name))
        except OSError:
            pass
    return found


# As timeout(1).

@pytest.mark.parametrize("code", [0, 3, 124])
def test_the_programs_own_status(code):
    done = run(300, "--", "sh", "-c", f"echo out; echo err >&2; exit {code}")
    assert done.returncode == code and done.stdout == "out\n" and done.stderr == "err\n"


def test_a_program_that_dies_of_a_signal():
    done = run(300, "--", "sh", "-c", "kill -USR1 $$")
    assert done.returncode == -signal.SIGUSR1


def test_standard_input_goes_through():
    done = run(300, "--", "cat", stdin=None, input="some\ntext")
    assert done.returncode == 0 and done.stdout == "some\ntext"


def test_dashes_before_the_program_may_be_left_out():
    done = run(300, "sh", "-c", 'echo "$0 $*"; exit 7', "-h", "--", "-k", "5")
    assert done.returncode == 7 and done.stdout == "-h -- -k 5\n"
    assert run("-s", "INT", 300, "-k", "5", "true").returncode == 0


@pytest.mark.parametrize("args,code,message", [
    (["5", "--", "/no/such"], 127, "cannot run /no/such"),
    (["5", "--", "/"], 126, "cannot run /"),
    (["5"], 125, "timeout needs DURATION PROGRAM"),
    (["--", "true"], 125, "timeout needs DURATION"),
    (["5x", "--", "true"], 125, "DURATION needs a time"),
    (["nan", "--", "true"], 125, "DURATION needs a time"),
    (["--", "-1", "--", "true"], 125, ""),
    (["-s", "NOPE", "5", "--", "true"], 125, "unknown signal 'NOPE'"),
    (["-k", "x", "5", "--", "true"], 125, "--kill-after needs a time"),
    (["--report", "/no/such/folder/file", "300", "--", "true"], 0, ""),
    (["-p", "1", "5", "--", "true"], 125, ""),
    (["--nosuch", "5", "--", "true"], 125, "option --nosuch"),
    (["-5", "--", "true"], 125, "option -5"),
    (["5", "--report"], 125, "--report needs a value"),
])
def test_mistakes(args, code, message):
    done = run(*args)
    assert done.returncode == code and message in done.stderr, done


@pytest.mark.parametrize("duration", ["0", "300", "0.5h", "5m", "1d", "1e30"])
def test_durations(duration):
    assert run(duration, "--", "sleep", "0.01").returncode == 0


def test_time_is_over(parked):
    command, options = parked("plain")
    done = run(0.05, *command, **options)
    assert done.returncode == 124 and f"did not end within 0.05 s: {PROGRAMS}/plain" in done.stderr
    assert run(0.05, "--preserve-status", *command, **options).returncode == 128 + signal.SIGTERM
    assert run(0.05, "--preserve-status", "-s", "INT", *command, **options).returncode == 128 + signal.SIGINT
    assert run(0.05, "--preserve-status", "--signal", "10", *command, **options).returncode == 128 + signal.SIGUSR1
    assert run(0.05, "-s", "SIGKILL", *command, **options).returncode == 128 + signal.SIGKILL


def test_what_ignores_the_signal_is_killed():
    limit = 0.2
    while not (done := run(limit, "-k", "0.2", "--", "sh", "-c", "trap '' TERM; echo set; while :; do sleep 0.1; done")).stdout:
        limit *= 2
    assert done.returncode == 137


@pytest.mark.parametrize("foreground", [False, True])
def test_all_that_it_has_started_is_ended(foreground, tmp_path):
    """Also in a session of its own, and without a parent; but not with --foreground, which ends only the program."""
    text = mark()
    script = f"setsid sh -c 'while :; do sleep 0.1; done; : {text}' & sh -c '(while :; do sleep 0.1; done; : {text}) &'; touch {tmp_path}/on; wait; sleep 9999"
    try:
        done = run(*(["--foreground"] if foreground else []), 1, "--", "sh", "-c", script, capture_output=False,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert done.returncode == 124
        if (tmp_path / "on").exists() and not foreground:
            wait_until(lambda: not with_mark(text), "all have ended")
        elif (tmp_path / "on").exists():
            assert with_mark(text)
    finally:
        for pid in with_mark(text):
            os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1])
def test_signals_go_on_to_the_program(number):
    name = signal.Signals(number).name[3:]
    process = subprocess.Popen([OMPDCTL, "timeout", "300", "--", "sh", "-c", f"trap 'echo got; exit 7' {name}; echo set; while :; do sleep 0.05; done"],
                               stdout=subprocess.PIPE, text=True, env=ENV)
    assert process.stdout.readline() == "set\n"
    process.send_signal(number)
    assert process.stdout.read() == "got\n" and process.wait(600) == 7
    process.stdout.close()


def test_ignored_signals_stay_ignored():
    """As below nohup, or as a shell's background job."""
    script = f"trap '' INT HUP; exec {OMPDCTL} timeout 300 -- grep SigIgn /proc/self/status"
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, timeout=600, env=ENV)
    ignored = int(done.stdout.split()[1], 16)
    assert ignored & (1 << signal.SIGINT - 1) and ignored & (1 << signal.SIGHUP - 1)
    # Python restores the signals that it ignores itself for its children.
    assert not ignored & (1 << signal.SIGPIPE - 1 | 1 << signal.SIGTTOU - 1 | 1 << signal.SIGCHLD - 1)


def test_the_terminal_is_passed_on():
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(OMPDCTL, [OMPDCTL, "timeout", "--foreground", "300", "--", "sh", "-c",
                            "trap 'echo interrupted; exit 9' INT; echo begin; read line; echo \"line $line\"; read line"], ENV)
    try:
        read_until(terminal, b"begin")
        os.write(terminal, b"typed\n")
        read_until(terminal, b"line typed")
        os.write(terminal, b"\x03")
        read_until(terminal, b"interrupted")
    finally:
        status = os.waitpid(pid, 0)[1]
        os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 9


def read_until(terminal, text):
    got = b""
    while text not in got:
        got += os.read(terminal, 4096)
    return got


# Additions to timeout(1).

def test_says_why(parked, tmp_path):
    command, options = parked("nested", 2, 2)
    done = run_over("--report", tmp_path / "report", *command, **options)
    assert done.returncode == 124
    assert re.search(r"── process \d+, nested ──|-- process \d+, nested --", done.stderr)
    assert "nested (pid" in done.stderr and "sleep" in done.stderr, "the verdict"
    assert "#0 " in done.stderr and "main() at " in done.stderr, "the stacks"
    report = json.loads((tmp_path / "report").read_text())
    [process] = report["processes"]
    assert report["program"] == [str(PROGRAMS / "nested"), "2", "2"] and report["n_not_looked_at"] == 0 and report["limit_s"] > 0
    assert process["pid"] == report["pid"] and process["name"] == "nested" and process["in_region"] is True
    validator.check("diagnose.get", "result", process["diagnosis"])
    validator.check("stack.groups", "result", process["stacks"])
    assert not alive(report["pid"])


def test_all_processes_below(parked):
    _, options = parked("flat")
    flat = f"{PROGRAMS}/flat 2 <&3"
    script = f"exec 3<&0; SLURM_JOB_ID=1 SLURM_STEP_ID=0 SLURM_NTASKS=2 SLURM_PROCID=1 {flat} & setsid {flat} & wait"
    done = run_over("--", "sh", "-c", script, programs=2, **options)
    assert done.returncode == 124 and len(re.findall(r"process \d+, flat", done.stderr)) == 2
    assert "flat, rank 1 of 2" in done.stderr


LAUNCHERS = {
    "openmpi": ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none", *(["--allow-run-as-root"] if os.geteuid() == 0 else []), "-n", "2"],
    "mpich": ["mpiexec.hydra", "-n", "2"],
}


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_ranks_of_a_launcher(launcher, tmp_path):
    """It examines and names each process; all end with the launcher."""
    launch = LAUNCHERS[launcher]
    if not shutil.which(launch[0]):
        pytest.skip(f"needs {launch[0]}")
    text = mark()
    # Launchers close the input of all ranks but one.
    script = f"tail -f /dev/null | exec -a {text} {PROGRAMS}/flat 2"
    limit, processes = 1, []
    while limit < 300 and len([one for one in processes if one["in_region"] is True]) < 2:
        done = run(limit, "--report", tmp_path / "report", "-k", 60, "--", *launch, "bash", "-c", script)
        assert done.returncode in (124, 137), done.stderr
        processes = json.loads((tmp_path / "report").read_text())["processes"]
        limit *= 2
    assert sorted((one["rank"]["number"], one["rank"]["size"]) for one in processes) == [(0, 2), (1, 2)]
    for one in processes:
        validator.check("diagnose.get", "result", one["diagnosis"])
        assert f"rank {one['rank']['number']} of 2" in done.stderr
    wait_until(lambda: not with_mark(text), "the ranks' end")


def test_without_openmp(parked):
    command, options = parked("plain")
    assert "none of its processes uses OpenMP" in run_over(*command, **options).stderr


def test_in_observe_mode(parked, tmp_path):
    command, options = parked("flat", 2)
    assert run_over("-m", "observe", "--report", tmp_path / "report", *command, **options).returncode == 124
    [process] = json.loads((tmp_path / "report").read_text())["processes"]
    assert {process["diagnosis"]["consistency"], process["stacks"]["consistency"]} <= {"proven", "racy"}


def test_nothing_looks_before(parked):
    command, options = parked("flat", 2)
    process = subprocess.Popen([OMPDCTL, "timeout", "300", *command], stdout=subprocess.PIPE, text=True, env=ENV, **options)
    for _ in range(3):
        process.stdout.readline()
    [program] = children(process.pid)
    assert not tracer(program) and children(program) == []
    process.terminate()
    assert process.wait(600) == -signal.SIGTERM
    process.stdout.close()


def test_a_report_is_of_this_run(tmp_path):
    (tmp_path / "report").write_text("old")
    assert run(300, "--report", tmp_path / "report", "--", "true").returncode == 0
    assert not (tmp_path / "report").exists()


def test_what_is_no_report_stays(tmp_path):
    """Root must not remove /dev/stderr, or any other link."""
    link = tmp_path / "stderr"
    link.symlink_to("/dev/null")
    assert run(300, "--report", link, "--", "true").returncode == 0 and link.is_symlink()
    assert run(0.05, "--report", link, "--", "sleep", "60").returncode == 124 and link.is_symlink()


def test_a_report_that_cannot_be_written_changes_nothing(parked):
    command, options = parked("flat", 2)
    done = run_over("--report", "/no/such/folder/report", *command, **options)
    assert done.returncode == 124 and "cannot write /no/such/folder/report: " in done.stderr and "main._omp_fn" in done.stderr


def test_a_signal_ends_the_looking(parked, tmp_path):
    """The cancellation of a job does not wait for the verdict."""
    (tmp_path / "ompdd-worker").write_text("#!/bin/sh\nread line; echo asked > asked; sleep 9999\n")
    (tmp_path / "ompdd-worker").chmod(0o755)
    shutil.copy(OMPDCTL, tmp_path)
    command, options = parked("flat", 2)
    process = subprocess.Popen([tmp_path / "ompdctl", "timeout", "0.1", *command], stdout=subprocess.PIPE, text=True, env=ENV, cwd=tmp_path,
                               stderr=subprocess.DEVNULL, **options)
    wait_until(lambda: (tmp_path / "asked").exists(), "it asks a worker, which does not answer")
    process.terminate()
    assert process.wait(600) == 124
    process.stdout.close()


# The recipes.

GUIDE = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "ci.md").read_text()


def recipe(language):
    """Return the last such block."""
    return re.findall(rf"^```{language}\n(.*?)^```", GUIDE, re.M | re.S)[-1]


@pytest.fixture
def path_env(tmp_path):
    return {**ENV, "PATH": f"{BIN}:{ENV['PATH']}", "OMPDD_BUILD_DIR": str(BUILD)}


def shorter(text):
    """With short limits for the test."""
    assert re.search(r"timeout (60|20m)\b|seconds=60", text)
    return re.sub(r"timeout (60|20m)\b", "timeout 2", text).replace("seconds=60", "seconds=2")


def test_ctest_recipe(tmp_path, path_env):
    """A program that hangs, tested as the guide describes."""
    (tmp_path / "solver").write_text(f"#!/bin/sh\nsleep 9999 | {PROGRAMS}/flat 2\n")
    (tmp_path / "solver").chmod(0o755)
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(x NONE)\nenable_testing()\n"
        f"add_executable(solver IMPORTED)\nset_target_properties(solver PROPERTIES IMPORTED_LOCATION {tmp_path}/solver)\n"
        + shorter(recipe("cmake")))
    subprocess.run(["cmake", "-S", tmp_path, "-B", tmp_path / "b"], check=True, capture_output=True, env=path_env)
    done = subprocess.run(["ctest", "--test-dir", tmp_path / "b", "--output-on-failure"], capture_output=True, text=True, env=path_env)
    assert done.returncode != 0 and "did not end within 2 s" in done.stdout, done.stdout


def test_pytest_recipe_for_all(tmp_path, path_env):
    [command] = recipe("sh").splitlines()
    (tmp_path / "test_hang.py").write_text(f"import subprocess\ndef test_hang():\n    subprocess.Popen(['{PROGRAMS}/flat', '2'], stdin=subprocess.PIPE).wait()\n")
    done = subprocess.run(shorter(command).replace("python3", sys.executable), shell=True, cwd=tmp_path, capture_output=True, text=True, env=path_env)
    assert done.returncode == 124, done
    assert json.loads((tmp_path / "hang.json").read_text())["program"][-1] == "-x"


def test_pytest_recipe_for_one(tmp_path, path_env):
    (tmp_path / "test_one.py").write_text(recipe("python"))
    shutil.copy(shutil.which("true"), tmp_path / "solver")
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_one.py"]
    assert subprocess.run(command, cwd=tmp_path, env=path_env, capture_output=True).returncode == 0
    (tmp_path / "solver").write_text("#!/bin/sh\nexec sleep 9999\n")
    (tmp_path / "test_one.py").write_text(shorter(recipe("python")))
    done = subprocess.run(command, cwd=tmp_path, env=path_env, capture_output=True, text=True)
    assert done.returncode == 1 and "did not end within 2 s" in done.stdout
