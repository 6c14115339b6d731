# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run LLVM's tests of OMPT (openmp/runtime/test/ompt) with gcc's code on a runtime: what their RUN lines say, without lit.

  ompt_suite.py --src LLVM/openmp --libdir DIR --include DIR --out DIR [--list FILE] [--only REGEX] [--jobs N]

LIBDIR has the runtime as libgomp.so.1, INCLUDE has omp-tools.h. FILE lists the tests that need not pass, each with its reason; what
is not listed must pass, and what is listed must not, unless its reason begins with "sometimes". What a test said is in OUT/NAME.log.

Exit: 0 it is so; 1 it is not; 77 (skipped) no compiler, no FileCheck.
"""
import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

TIMEOUT = 60
FILECHECK = ["FileCheck-19", "/usr/lib/llvm-19/bin/FileCheck", "FileCheck-14", "/usr/lib/llvm-14/bin/FileCheck", "FileCheck"]


def run_lines(text):
    """Return the commands of a test. A line that ends with a backslash continues in the next one."""
    lines, begun = [], ""
    for line in re.findall(r"^//\s*RUN:\s*(.*?)\s*$", text, re.M):
        begun += line.rstrip("\\")
        if not line.endswith("\\"):
            lines.append(begun)
            begun = ""
    return lines


def tests_of(top):
    for folder, _, files in sorted(os.walk(top)):
        for name in sorted(files):
            path = os.path.join(folder, name)
            if name.endswith((".c", ".cpp")):
                with open(path, encoding="utf-8") as f:
                    if run_lines(f.read()):
                        yield os.path.relpath(path, top)


class Suite:
    def __init__(self, args, filecheck):
        self.top = os.path.join(args.src, "runtime", "test", "ompt")
        self.out = os.path.abspath(args.out)
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "GOMP_", "LD_"))}
        self.env["LD_LIBRARY_PATH"] = args.libdir
        # LLVM's omp.h includes stdlib.h. Programs that link with -lomp get the runtime, too.
        links = os.path.join(self.out, "lib")
        os.makedirs(links, exist_ok=True)
        for name in ("libomp.so", "libgomp.so"):
            if not os.path.lexists(os.path.join(links, name)):
                os.symlink(os.path.join(args.libdir, "libgomp.so.1"), os.path.join(links, name))
        flags = (f"-fopenmp -I {args.include} -I {os.path.dirname(self.top)} -I {self.top} -L {links} "
                 "-w -include stdlib.h -fno-omit-frame-pointer -rdynamic")
        compile_c, compile_cxx = f"gcc {flags} %s -o %t -lm -latomic", f"g++ {flags} -std=c++17 %s -o %t -lm -latomic"
        self.words = [
            ("%libomp-compile-and-run", f"{compile_c} && %t"),
            ("%libomp-c99-compile-and-run", f"{compile_c} -std=c99 && %t"),
            ("%libomp-cxx-compile-and-run", f"{compile_cxx} && %t"),
            ("%libomp-cxx-compile", compile_cxx),
            ("%libomp-compile", compile_c),
            ("%libomp-run", "%t"),
            ("%preload-tool", "env LD_PRELOAD=%T/tool.so"),
            ("%no-as-needed-flag", "-Wl,--no-as-needed"),
            ("%sort-threads", "sort -n -s"),
            ("%clang", "gcc"),
            ("%flags", flags),
            ("FileCheck", filecheck),
        ]

    def run(self, name):
        """Return whether it passes."""
        path = os.path.join(self.top, name)
        here = os.path.join(self.out, name)
        os.makedirs(here, exist_ok=True)
        places = {"%s": path, "%S": os.path.dirname(path), "%T": here, "%t": os.path.join(here, "program")}
        with open(path, encoding="utf-8") as f:
            lines = run_lines(f.read())
        with open(here + ".log", "w", encoding="utf-8") as log:
            for line in lines:
                for word, value in self.words:
                    line = line.replace(word, value)
                line = re.sub("%[sStT]", lambda m: places[m[0]], line)
                log.write(f"$ {line}\n")
                log.flush()
                if self.shell(line, log):
                    log.write("failed\n")
                    return False
        return True

    def shell(self, line, log):
        with subprocess.Popen(["bash", "-c", "set -o pipefail; " + line], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                              env=self.env, start_new_session=True) as shell:
            try:
                return shell.wait(TIMEOUT)
            except subprocess.TimeoutExpired:
                os.killpg(shell.pid, signal.SIGKILL)
                log.write(f"not over after {TIMEOUT} s\n")
                return 1


def listed(path):
    """Return NAME: REASON of each line."""
    names = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            name, _, reason = line.strip().partition(": ")
            if name and not name.startswith("#"):
                names[name] = reason
    return names


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--src", "--libdir", "--include", "--out"):
        parser.add_argument(option, required=True)
    parser.add_argument("--list")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args()
    filecheck = next(filter(None, map(shutil.which, FILECHECK)), None)
    if not filecheck or not shutil.which("g++"):
        print("ompt_suite: needs g++ and FileCheck (package llvm-14-tools)")
        sys.exit(77)
    suite = Suite(args, filecheck)
    excused = listed(args.list) if args.list else {}
    names = list(tests_of(suite.top))
    wrong = [f"{name}: listed, but there is no such test" for name in excused if name not in names]
    names = [name for name in names if re.search(args.only, name)]
    with ThreadPoolExecutor(args.jobs) as pool:
        passed = dict(zip(names, pool.map(suite.run, names)))
    for name, ok in passed.items():
        print("PASS" if ok else "FAIL", name, "" if ok else excused.get(name, ""))
        if ok and name in excused and not excused[name].startswith("sometimes"):
            wrong.append(f"{name}: passes, but it is listed: {excused[name]}")
        elif not ok and name not in excused:
            wrong.append(f"{name}: fails: see {suite.out}/{name}.log")
    print(f"{sum(passed.values())} of {len(passed)} pass, {len(excused)} are listed")
    print("\n".join(wrong))
    sys.exit(1 if wrong or not passed else 0)


main()
