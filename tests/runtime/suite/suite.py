# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Build libgomp's own test suite from gcc's source, once, and run it on any libgomp.so.1.

  suite.py build --src GCC/libgomp/testsuite --inc GCC/include --cache DIR
  suite.py run   --cache DIR --libdir DIR|system --out FILE.tsv [--env OMP_NUM_THREADS=4] [--sanitizer thread --preload LIB]
  suite.py check OURS.tsv SYSTEM.tsv     fails when a test that passes on the second does not on the first

Each for all tests, or those that --list FILE and --only REGEX leave. What the failed ones said is in FILE.tsv.log. The tests are GPL:
they are compiled where they lie, nothing of them comes into this repository. Directives that check the compiler (dg-final,
dg-warning, dg-error) are ignored.

Exit: 0 done; 1 a test or the build failed; 77 (skipped) no compiler.
"""
import argparse
import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from directives import parse, set_triplet
from sanitizers import Sanitizer

SUITES = {  # suite name -> (list of (folder, extensions), compiler key)
    "c":       ([("libgomp.c", (".c",)), ("libgomp.c-c++-common", (".c",))], "cc"),
    "c++":     ([("libgomp.c++", (".C",)), ("libgomp.c-c++-common", (".c",))], "cxx"),
    "fortran": ([("libgomp.fortran", (".f", ".F", ".f90", ".F90", ".f95", ".F95",
                                      ".f03", ".F03", ".f08", ".F08"))], "fc"),
}


def find_tests(src):
    for lang, (folders, comp) in SUITES.items():
        for folder, exts in folders:
            top = os.path.join(src, folder)
            for dp, dn, fn in os.walk(top):
                dn.sort()
                for f in sorted(fn):
                    if os.path.splitext(f)[1] in exts:
                        p = os.path.join(dp, f)
                        rel = os.path.relpath(p, src)
                        name = rel if folder != "libgomp.c-c++-common" else rel + ("@c" if lang == "c" else "@c++")
                        yield lang, comp, p, name


def chosen(a, names):
    """Return the names that --list and --only select. An unknown name on the list is an error."""
    if a.list:
        listed = {l.split("#")[0].strip() for l in open(a.list)} - {""}
        missing = sorted(listed.difference(names))
        if missing: sys.exit("%s: there is no test %s" % (a.list, ", ".join(missing)))
        names = [n for n in names if n in listed]
    return [n for n in names if re.search(a.only, n)]


def store(value, path):
    """Write the whole file or nothing, whichever process is killed."""
    with open(path + ".new", "w") as f: json.dump(value, f, indent=1)
    os.replace(path + ".new", path)


def compilers(a):
    """The versions of the compilers: a new compiler builds again."""
    said = []
    for c in (a.cc, a.cxx, a.fc):
        if not shutil.which(c):
            sys.stderr.write("SKIPPED: no %s. Install what tests/packages.txt lists.\n" % c); sys.exit(77)
        # With several options, a compiler answers the first.
        said.append([subprocess.run([c, what], stdout=subprocess.PIPE, text=True).stdout.strip() for what in ("-dumpfullversion", "-dumpmachine")])
    return [said, a.flags, a.opt, a.fopt]


def build_one(job):
    a, lang, comp, path, name = job
    outdir = os.path.join(a.cache, "tests", name.replace("/", "__"))
    meta_p = os.path.join(outdir, "meta.json")
    if os.path.exists(meta_p):
        meta = json.load(open(meta_p))
        if meta.get("compilers") == a.compilers and meta["status"] != "cfail": return meta
    shutil.rmtree(outdir, ignore_errors=True); os.makedirs(outdir)
    opt = a.fopt if lang == "fortran" else a.opt
    T = parse(path, lang, opt)
    meta = dict(T, name=name, lang=lang, status="built", cmd="", log="", compilers=a.compilers)
    if T["skip"]:
        meta["status"] = "skip"
    elif T["do"] != "run":
        meta["status"] = "skip"; meta["skip"] = "dg-do " + T["do"]
    else:
        cmd = [getattr(a, comp), "-fopenmp"] + a.flags.split()
        if lang == "fortran":
            cmd += opt.split() if T["has_dorun"] else ["-O"]
            cmd += T["opts"] or []
        else:
            cmd += T["opts"] if T["opts"] is not None else opt.split()
        cmd += T["extra"] + ["-fmessage-length=0", "-w"]
        for i in [os.path.join(a.cache, "inc")] + a.inc + [os.path.dirname(a.src.rstrip("/"))]:
            cmd += ["-I", i]
        d = os.path.dirname(path)
        if comp == "cxx" and path.endswith(".c"): cmd += ["-x", "c++"]
        cmd += [path] + [os.path.normpath(os.path.join(d, s)) for s in T["sources"]]
        if comp == "cxx" and path.endswith(".c"): cmd += ["-x", "none"]
        cmd += ["-o", "a.out", "-lm"]
        meta["cmd"] = " ".join(cmd)
        try:
            r = subprocess.run(cmd, cwd=outdir, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               timeout=1800, env=dict(os.environ, LC_ALL="C"))
            meta["log"] = r.stdout.decode(errors="replace")[-3000:]
            if r.returncode: meta["status"] = "cfail"
        except subprocess.TimeoutExpired:
            meta["status"] = "cfail"; meta["log"] = "compile timeout"
    store(meta, meta_p)
    return meta


def cmd_build(a):
    a.src = os.path.abspath(a.src); a.cache = os.path.abspath(a.cache)
    a.compilers = compilers(a)
    set_triplet(a.compilers[0][0][-1])
    inc = os.path.join(a.cache, "inc"); os.makedirs(inc, exist_ok=True)
    lock = open(os.path.join(a.cache, "lock"), "w")
    fcntl.flock(lock, fcntl.LOCK_EX)  # The first builds, the second uses the result.
    with open(os.path.join(inc, "config.h"), "w") as f:
        f.write("#define HAVE_PTHREAD_AFFINITY_NP 1\n#define HAVE_TLS 1\n")
    if not any(os.path.exists(os.path.join(i, "gomp-constants.h")) for i in a.inc):
        sys.stderr.write("note: gomp-constants.h not in --inc; a few tests may not compile\n")
    tests = {t[-1]: t for t in find_tests(a.src)}
    if a.beyond:
        for t in find_tests(a.beyond): tests.pop(t[-1], None)
    jobs = [(a,) + tests[n] for n in chosen(a, list(tests))]
    with ThreadPoolExecutor(a.jobs) as ex:
        metas = list(ex.map(build_one, jobs))
    metas.sort(key=lambda m: m["name"])
    index = os.path.join(a.cache, "index.json")
    if not a.list:
        known = json.load(open(index)) if os.path.exists(index) else []
        store(sorted({m["name"] for m in metas}.union(known)), index)
    n = {}
    for m in metas: n.setdefault(folder_of(m["name"]), {}).setdefault(m["status"], []).append(m["name"])
    for k in sorted(n): print(k, {s: len(v) for s, v in n[k].items()})


def folder_of(name):
    f = name.split("/")[0]
    if "@" in name: f += " (" + name.split("@")[1] + ")"
    return f


def run_one(job):
    a, m = job
    name = m["name"]
    if m["status"] != "built":
        return (name, "SKIP" if m["status"] == "skip" else "CFAIL", "-", 0.0,
                m["skip"] if m["status"] == "skip" else m["log"].strip().split("\n")[0][:200], m["log"])
    exe = os.path.join(a.cache, "tests", name.replace("/", "__"), "a.out")
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(("OMP_", "GOMP_", "KMP_", "LIBGOMP_", "ACC_", "LD_", "ASAN_", "TSAN_", "LSAN_"))}
    env["LC_ALL"] = "C"
    if a.libdir != "system": env["LD_LIBRARY_PATH"] = a.libdir
    for kv in a.env: k, v = kv.split("=", 1); env[k] = v
    env.update(m["env"])
    if a.sanitizer: env.update(a.sanitizer.environment(name))
    to = max(m["timeout"] or 0, a.timeout) * m["tfactor"]
    tmp = tempfile.mkdtemp(prefix="gomprun.")
    t0 = time.time()
    try:
        p = subprocess.Popen([exe], cwd=tmp, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, start_new_session=True)
        try:
            out, _ = p.communicate(timeout=to); rc = p.returncode
        except subprocess.TimeoutExpired:
            os.killpg(p.pid, signal.SIGKILL); out, _ = p.communicate(); rc = "timeout"
    finally:
        shutil.rmtree(tmp, ignore_errors=True)
    dt = time.time() - t0
    text = out.decode(errors="replace")
    first = next((l for l in text.split("\n") if l.strip()), "")[:240].replace("\t", " ")
    report = None
    if a.sanitizer: rc, report = a.sanitizer.verdict(name, rc, text)
    if rc == "timeout": res = "TIMEOUT"
    elif report: res = "FAIL"; first = report
    elif m["shouldfail"]: res = "PASS" if rc != 0 else "FAIL"
    else: res = "PASS" if rc == 0 else "FAIL"
    if res == "PASS" and m["output"] and not re.search(m["output"], text, re.S):
        res = "FAIL"; first = "output mismatch: " + first
    if m["xfail"]: res = {"PASS": "XPASS", "FAIL": "XFAIL"}.get(res, res)
    return (name, res, rc, dt, first, text)


def load(a):
    """Return the known facts of each test to run: of all that were built, or of those on the list."""
    if a.list: folders = sorted(os.listdir(os.path.join(a.cache, "tests")))
    else: folders = [n.replace("/", "__") for n in json.load(open(os.path.join(a.cache, "index.json")))]
    known = {}
    for p in (os.path.join(a.cache, "tests", f, "meta.json") for f in folders):
        if os.path.exists(p):  # Not from a build that was killed.
            meta = json.load(open(p)); known[meta["name"]] = meta
    return [known[n] for n in chosen(a, list(known))]


def cmd_run(a):
    a.cache = os.path.abspath(a.cache)
    if a.libdir != "system":
        a.libdir = os.path.abspath(a.libdir)
        if not os.path.exists(os.path.join(a.libdir, "libgomp.so.1")):
            sys.exit("no libgomp.so.1 in " + a.libdir)
    if a.sanitizer: a.sanitizer = Sanitizer(a.sanitizer, a.preload, a.exceptions)
    with ThreadPoolExecutor(a.jobs) as ex:
        rs = list(ex.map(run_one, [(a, m) for m in load(a)]))
    with open(a.out, "w") as f, open(a.out + ".log", "w") as log:
        f.write("# libdir=%s env=%s\n" % (a.libdir, a.env))
        for r in rs:
            f.write("%s\t%s\t%s\t%.2f\t%s\n" % r[:-1])
            if r[1] in ("FAIL", "TIMEOUT", "CFAIL"): log.write("==== %s: %s (%s)\n%s\n" % (r[0], r[1], r[2], r[-1]))
    summary(rs)


def summary(rs):
    n = {}
    for r in rs:
        d = n.setdefault(folder_of(r[0]), {}); d[r[1]] = d.get(r[1], 0) + 1
    keys = ["PASS", "FAIL", "TIMEOUT", "XFAIL", "XPASS", "CFAIL", "SKIP"]
    print("%-34s" % "folder" + "".join("%9s" % k for k in keys))
    tot = {}
    for k in sorted(n):
        print("%-34s" % k + "".join("%9d" % n[k].get(x, 0) for x in keys))
        for x in keys: tot[x] = tot.get(x, 0) + n[k].get(x, 0)
    print("%-34s" % "total" + "".join("%9d" % tot[x] for x in keys))


def read_tsv(p):
    return {l.split("\t")[0]: l.rstrip("\n").split("\t") for l in open(p) if not l.startswith("#")}


def cmd_check(a):
    """Each test that passes in B must pass in A."""
    ours, theirs = read_tsv(a.a), read_tsv(a.b)
    theirs = {n: theirs[n] for n in chosen(a, list(theirs))}
    bad = [n for n in sorted(theirs) if theirs[n][1] == "PASS" and ours.get(n, ["", "?"])[1] not in ("PASS",)]
    more = sum(ours[n][1] == "PASS" and theirs.get(n, ["", "?"])[1] != "PASS" for n in ours)
    for n in bad:
        print("%s\t%s\t%s" % (n, ours.get(n, ["", "?"])[1], ours.get(n, [""] * 5)[4]))
    good = sum(t[1] == "PASS" for t in theirs.values())
    print("%d pass there, %d of them not here; %d pass only here" % (good, len(bad), more))
    if bad: print("what they said: %s.log" % os.path.abspath(a.a))
    if good < a.at_least: print("too few to be a proof: %d are needed; see %s" % (a.at_least, os.path.abspath(a.b)))
    sys.exit(1 if bad or good < a.at_least else 0)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sp = ap.add_subparsers(dest="cmd", required=True)
    b = sp.add_parser("build")
    b.set_defaults(f=cmd_build, opt="-O2", fopt="-O2")
    b.add_argument("--cc", default="gcc")
    b.add_argument("--cxx", default="g++")
    b.add_argument("--fc", default="gfortran")
    b.add_argument("--src", required=True)
    b.add_argument("--cache", required=True)
    b.add_argument("--beyond", metavar="SRC", help="only tests that this older suite does not have")
    b.add_argument("--inc", action="append", default=[])
    b.add_argument("--jobs", type=int, default=os.cpu_count())
    # Otherwise, Debian's gcc 12.2 emits offloading code that crashes two tests on the host.
    b.add_argument("--flags", default="-foffload=disable")
    r = sp.add_parser("run")
    r.set_defaults(f=cmd_run)
    r.add_argument("--cache", required=True)
    r.add_argument("--libdir", required=True)
    r.add_argument("--out", required=True)
    r.add_argument("--jobs", type=int, default=1)
    r.add_argument("--timeout", type=float, default=60)
    r.add_argument("--env", action="append", default=[])
    r.add_argument("--sanitizer", choices=("thread", "address"), help="that --libdir was built with")
    r.add_argument("--preload", help="its library")
    r.add_argument("--exceptions", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "exceptions.txt"))
    c = sp.add_parser("check")
    c.set_defaults(f=cmd_check)
    c.add_argument("a")
    c.add_argument("b")
    c.add_argument("--at-least", type=int, default=0, help="so many must pass there")
    for p in (b, r, c):
        p.add_argument("--only", default="", metavar="REGEX")
        p.add_argument("--list", metavar="FILE", help="names of tests, one in a line")
    a = ap.parse_args()
    a.f(a)


if __name__ == "__main__":
    main()
