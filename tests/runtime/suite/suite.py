# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Build libgomp's own test suite from gcc's source, once, and run it on any libgomp.so.1.

  suite.py build --src GCC/libgomp/testsuite --inc GCC/include --cache DIR
  suite.py run   --cache DIR --libdir DIR|system --out FILE.tsv [--env OMP_NUM_THREADS=4] [--only REGEX] [--every N]
  suite.py check OURS.tsv SYSTEM.tsv     fails when a test that passes on the second does not on the first

The tests are GPL: they are compiled where they lie, nothing of them comes into this repository. Directives that check the
compiler (dg-final, dg-warning, dg-error) are ignored.
"""
import argparse
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

from directives import parse

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


def build_one(job):
    a, lang, comp, path, name = job
    outdir = os.path.join(a.cache, "tests", name.replace("/", "__"))
    meta_p = os.path.join(outdir, "meta.json")
    if os.path.exists(meta_p) and not a.force: return json.load(open(meta_p))
    shutil.rmtree(outdir, ignore_errors=True); os.makedirs(outdir)
    opt = a.fopt if lang == "fortran" else a.opt
    T = parse(path, lang, opt)
    meta = dict(T, name=name, lang=lang, status="built", cmd="", log="")
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
                               timeout=300, env=dict(os.environ, LC_ALL="C"))
            meta["log"] = r.stdout.decode(errors="replace")[-3000:]
            if r.returncode: meta["status"] = "cfail"
        except subprocess.TimeoutExpired:
            meta["status"] = "cfail"; meta["log"] = "compile timeout"
    json.dump(meta, open(meta_p, "w"), indent=1)
    return meta


def cmd_build(a):
    a.src = os.path.abspath(a.src); a.cache = os.path.abspath(a.cache)
    inc = os.path.join(a.cache, "inc"); os.makedirs(inc, exist_ok=True)
    with open(os.path.join(inc, "config.h"), "w") as f:
        f.write("#define HAVE_PTHREAD_AFFINITY_NP 1\n#define HAVE_TLS 1\n")
    if not any(os.path.exists(os.path.join(i, "gomp-constants.h")) for i in a.inc):
        sys.stderr.write("note: gomp-constants.h not in --inc; a few tests may not compile\n")
    jobs = [(a,) + t for t in find_tests(a.src)]
    with ThreadPoolExecutor(a.jobs) as ex:
        metas = list(ex.map(build_one, jobs))
    metas.sort(key=lambda m: m["name"])
    json.dump([m["name"] for m in metas], open(os.path.join(a.cache, "index.json"), "w"), indent=0)
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
                m["skip"] if m["status"] == "skip" else m["log"].strip().split("\n")[0][:200])
    exe = os.path.join(a.cache, "tests", name.replace("/", "__"), "a.out")
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(("OMP_", "GOMP_", "KMP_", "LIBGOMP_", "ACC_", "LD_"))}
    env["LC_ALL"] = "C"
    if a.libdir != "system": env["LD_LIBRARY_PATH"] = a.libdir
    for kv in a.env: k, v = kv.split("=", 1); env[k] = v
    env.update(m["env"])
    to = (m["timeout"] or a.timeout) * m["tfactor"]
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
    if rc == "timeout": res = "TIMEOUT"
    elif m["shouldfail"]: res = "PASS" if rc != 0 else "FAIL"
    else: res = "PASS" if rc == 0 else "FAIL"
    if res == "PASS" and m["output"] and not re.search(m["output"], text):
        res = "FAIL"; first = "output mismatch: " + first
    if m["xfail"]: res = {"PASS": "XPASS", "FAIL": "XFAIL"}.get(res, res)
    return (name, res, rc, dt, first)


def load(cache):
    for n in json.load(open(os.path.join(cache, "index.json"))):
        yield json.load(open(os.path.join(cache, "tests", n.replace("/", "__"), "meta.json")))


def cmd_run(a):
    a.cache = os.path.abspath(a.cache)
    if a.libdir != "system":
        a.libdir = os.path.abspath(a.libdir)
        if not os.path.exists(os.path.join(a.libdir, "libgomp.so.1")):
            sys.exit("no libgomp.so.1 in " + a.libdir)
    ms = [m for m in load(a.cache) if not a.only or re.search(a.only, m["name"])][::a.every]
    with ThreadPoolExecutor(a.jobs) as ex:
        rs = list(ex.map(run_one, [(a, m) for m in ms]))
    with open(a.out, "w") as f:
        f.write("# libdir=%s env=%s\n" % (a.libdir, a.env))
        for r in rs: f.write("%s\t%s\t%s\t%.2f\t%s\n" % r)
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
    """Whatever passes in B must pass in A."""
    ours, theirs = read_tsv(a.a), read_tsv(a.b)
    bad = [n for n in sorted(theirs) if theirs[n][1] == "PASS" and ours.get(n, ["", "?"])[1] not in ("PASS",)]
    more = sum(ours[n][1] == "PASS" and theirs.get(n, ["", "?"])[1] != "PASS" for n in ours)
    for n in bad:
        print("%s\t%s\t%s" % (n, ours.get(n, ["", "?"])[1], ours.get(n, [""] * 5)[4]))
    print("%d pass there, %d of them not here; %d pass only here" %
          (sum(t[1] == "PASS" for t in theirs.values()), len(bad), more))
    sys.exit(1 if bad else 0)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sp = ap.add_subparsers(dest="cmd", required=True)
    b = sp.add_parser("build")
    b.set_defaults(f=cmd_build, force=False, cc="gcc", cxx="g++", fc="gfortran", opt="-O2", fopt="-O2")
    b.add_argument("--src", required=True)
    b.add_argument("--cache", required=True)
    b.add_argument("--inc", action="append", default=[])
    b.add_argument("--jobs", type=int, default=os.cpu_count())
    # Debian's gcc 12.2 otherwise emits code for offloading that crashes two tests on the host.
    b.add_argument("--flags", default="-foffload=disable")
    r = sp.add_parser("run")
    r.set_defaults(f=cmd_run)
    r.add_argument("--cache", required=True)
    r.add_argument("--libdir", required=True)
    r.add_argument("--out", required=True)
    r.add_argument("--jobs", type=int, default=1)
    r.add_argument("--timeout", type=float, default=60)
    r.add_argument("--only", default="")
    r.add_argument("--every", type=int, default=1, help="only each N-th test")
    r.add_argument("--env", action="append", default=[])
    c = sp.add_parser("check")
    c.set_defaults(f=cmd_check)
    c.add_argument("a")
    c.add_argument("b")
    a = ap.parse_args()
    a.f(a)


if __name__ == "__main__":
    main()
