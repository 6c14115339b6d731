#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs tests of a build for aarch64 in a virtual machine of Debian for arm64 (machine.py).

  run.py disk BUILD                          make the machine's disk anew
  run.py tests BUILD NAME REGEX [--except REGEX] [--only K]
                                             those of the build's ctest entries there; --only: of tests in Python those that pytest's -k chooses
  run.py shell BUILD NAME COMMAND...         commands there; what they leave in /out is in BUILD/arm64/NAME/out

Exit: 0 all passed; 1 something failed, which is named at the end; 77 skipped, for the reason that is printed."""
import argparse
import json
import pathlib
import re
import resource
import shlex
import shutil
import subprocess
import sys
import time

import machine

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
# Trials of repeated tests, and time limits: the processor is emulated, tens of times slower.
SURROUNDINGS = {"OMPDD_TRIALS": "2", "CK_DEFAULT_TIMEOUT": "60", "CK_TIMEOUT_MULTIPLIER": "20", "OMPDD_WORKER_CPU": "600"}


def debian():
    if not shutil.which("qemu-system-aarch64"):
        print("skipped: qemu-system-aarch64 is missing (apt install qemu-system-arm)")
        sys.exit(SKIPPED)
    done = subprocess.run([HERE / "sysroot.sh"], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        print("skipped: Debian's packages for arm64 are not there")
        sys.exit(SKIPPED)
    return pathlib.Path(done.stdout.strip())


def chosen(build, regex, but):
    """Return the ctest entries as shell commands, by name."""
    command = ["ctest", "--test-dir", build, "--show-only=json-v1", "-R", regex, *(["-E", but] if but else [])]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = {}
    for test in json.loads(text)["tests"]:
        if "command" not in test:
            sys.exit(f"{test['name']} is not built: cmake --build {build}")
        properties = {one["name"]: one["value"] for one in test["properties"]}
        surroundings = [shlex.quote(one) for one in properties.get("ENVIRONMENT", [])]
        surroundings += [f"{key}={value}" for key, value in SURROUNDINGS.items()]
        found[test["name"]] = (properties.get("WORKING_DIRECTORY", "/tmp"), " ".join(["env", *surroundings]), test["command"])
    return found


def script(tests, only):
    lines = []
    for name, (folder, surroundings, command) in tests.items():
        is_python = any(part.endswith("/run_pytest.py") for part in command)
        more = ["-k", only, "--durations=8"] if only is not None and is_python else []
        lines.append(f"mkdir -p {shlex.quote(folder)}; cd {shlex.quote(folder)}; start=$(date +%s)")
        lines.append(f"{surroundings} {shlex.join([*command, *more])} >/tmp/said 2>&1 </dev/null; code=$?")
        lines.append("if [ $code != 0 ] || [ -n \"$LOUD\" ]; then tail -n 400 /tmp/said; else tail -n 1 /tmp/said; fi")
        lines.append(f"echo ARM64-RESULT {name} $code $(($(date +%s) - start))")
    return "\n".join(lines)


def run(build, name, commands, seconds, names=()):
    """Return whether all of @names passed."""
    work = build / "arm64" / name
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    disk = build / "arm64/disk"
    if not disk.exists():
        sys.exit(f"there is no {disk}: run.py disk {build}")
    results = {}
    start = time.monotonic()
    try:
        for line in machine.boot(debian(), disk, commands, work, seconds):
            result = re.fullmatch(r"ARM64-RESULT (\S+) (\d+) (\d+)", line)
            if result:
                results[result[1]] = int(result[2])
                line = f"-- {result[1]}: {'passed' if result[2] == '0' else 'skipped' if result[2] == '77' else 'failed with ' + result[2]}, {result[3]} s"
            print(line, flush=True)
    except machine.Broken as error:
        print(f"-- {error}")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"-- {name}: {time.monotonic() - start:.0f} s, in which the machine took {used.ru_utime + used.ru_stime:.0f} s of processors")
    failed = [one for one in names if results.get(one) not in (0, SKIPPED)]
    missing = [one for one in names if one not in results]
    print(f"-- {name}: {len(names) - len(failed)} of {len(names)} passed" + ("; failed: " + " ".join(one for one in failed if one in results) if failed else "")
          + ("; did not run: " + " ".join(missing) if missing else ""))
    return not failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("disk", "tests", "shell"))
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("name", nargs="?", default="shell")
    parser.add_argument("more", nargs="*")
    parser.add_argument("--only", help="pytest's -k")
    parser.add_argument("--except", dest="but", help="not these")
    parser.add_argument("--loud", action="store_true", help="show what passing tests say, too")
    parser.add_argument("--seconds", type=int, default=1500)
    args = parser.parse_intermixed_args()
    build = args.build.resolve()
    (build / "arm64").mkdir(exist_ok=True)
    if args.what == "disk":
        machine.make_disk(debian(), build, build / "arm64/disk")
        return 0
    if args.what == "shell":
        return 0 if run(build, args.name, "\n".join(args.more), args.seconds) else 1
    tests = chosen(build, args.more[0], args.but)
    if not tests:
        sys.exit(f"no ctest entry of {build} is called {args.more[0]}")
    return 0 if run(build, args.name, ("LOUD=1\n" if args.loud else "") + script(tests, args.only), args.seconds, list(tests)) else 1


if __name__ == "__main__":
    sys.exit(main())
