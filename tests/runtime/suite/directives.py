# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The DejaGnu directives in the tests of libgomp's suite. Used by suite.py."""
import fnmatch
import re
import sys

def tcl_list(s):
    """Split s like a Tcl list; braces give the raw inner text, quotes are unescaped."""
    out, i, n = [], 0, len(s)
    while i < n:
        c = s[i]
        if c.isspace():
            i += 1
        elif c == '{':
            d, j = 1, i + 1
            while j < n and d:
                if s[j] == '\\': j += 1
                elif s[j] == '{': d += 1
                elif s[j] == '}': d -= 1
                j += 1
            out.append(s[i + 1:j - 1]); i = j
        elif c == '"':
            j, buf = i + 1, []
            while j < n and s[j] != '"':
                if s[j] == '\\' and j + 1 < n:
                    buf.append({'n': '\n', 'r': '\r', 't': '\t'}.get(s[j + 1], s[j + 1])); j += 2
                else:
                    buf.append(s[j]); j += 1
            out.append(''.join(buf)); i = j + 1
        else:
            j = i
            while j < n and not s[j].isspace(): j += 1
            out.append(s[i:j]); i = j
    return out

TRIPLET = "x86_64-pc-linux-gnu"
X86_ONLY = {"sse2_runtime", "sse2", "avx_runtime", "vect_simd_clones", "__float128", "x86"}
_eff_cache = {}


def set_triplet(triplet):
    """The target machine of the tests."""
    global TRIPLET
    parts = triplet.split("-")
    # Debian's compilers omit the vendor, which the tests' patterns expect.
    TRIPLET = "-".join(parts if len(parts) > 3 else [parts[0], "pc", *parts[1:]])
    _eff_cache.clear()


def cpu_has(flag):
    try:
        return flag in open('/proc/cpuinfo').read().split()
    except OSError:
        return False


def effective(t):
    if t in _eff_cache: return _eff_cache[t]
    true = {"tls", "tls_runtime", "size32plus", "sync_int_long", "sync_char_short", "lp64", "lto",
            "fpic", "shared", "large_long_double", "large_double", "__float128", "fd_truncate",
            "sse2_runtime", "sse2", "vect_simd_clones", "vect_int", "int128", "c", "c++",
            "pthread", "pthread_h", "alias", "x86", "fortran_large_real", "fortran_large_int",
            "gettimeofday", "omp_usleep", "offload_device_shared_as", "double64plus", "longlong64", "stdint_types"}
    false = {"ia32", "offload_target_nvptx", "offload_target_amdgcn", "offload_target_amd",
             "offload_device", "offload_device_nonshared_as",
             "offload_device_any_intel_mic", "offload_device_intel_mic", "offload_device_nvptx",
             "offload_device_gcn", "offloading_enabled", "skip-all-targets", "aarch64_tiny",
             "run_expensive_tests", "gas", "openacc_nvidia_accel_selected", "ilp32", "x32"}
    if t in X86_ONLY and not TRIPLET.startswith("x86_64"): r = False
    elif t == "avx_runtime": r = cpu_has("avx")
    elif t in true: r = True
    elif t in false: r = False
    elif t.count('-') >= 1 and ('*' in t or t.count('-') >= 2): r = fnmatch.fnmatch(TRIPLET, t)
    else:
        sys.stderr.write("unknown effective target %s -> false\n" % t); r = False
    _eff_cache[t] = r
    return r


def selector(expr, lang):
    """Evaluate a dejagnu selector expression (without the leading 'target'/'xfail')."""
    toks = tcl_list(expr)
    def atom(t):
        if t in ("c", "c++"): return (t == "c++") == (lang == "c++")
        if any(ch in t for ch in " {}!&|"): return selector(t, lang)
        return effective(t)
    if not toks: return True
    if toks[0] == '!': return not selector(' '.join('{%s}' % x if ' ' in x else x for x in toks[1:]), lang)
    if len(toks) == 3 and toks[1] == '&&': return atom(toks[0]) and atom(toks[2])
    if len(toks) == 3 and toks[1] == '||': return atom(toks[0]) or atom(toks[2])
    return any(atom(t) for t in toks)


def target_clause(arg, lang):
    """Return whether `arg` applies: '' or 'target ...' or 'xfail ...'."""
    t = tcl_list(arg)
    if not t: return True
    if t[0] in ("target", "xfail"):
        return selector(arg.split(None, 1)[1] if ' ' in arg.strip() else '', lang)
    return selector(arg, lang)

DIRECTIVE = re.compile(r'\{\s+(dg-[-a-z]+)\s')


def directives(path):
    with open(path, errors="replace") as f:
        for line in f:
            m = DIRECTIVE.search(line)
            if not m: continue
            # text from the brace to its match
            i = m.start(); d = 0; inq = False; j = i
            while j < len(line):
                c = line[j]
                if c == '\\': j += 2; continue
                if c == '"': inq = not inq
                elif not inq and c == '{': d += 1
                elif not inq and c == '}':
                    d -= 1
                    if d == 0: break
                j += 1
            body = line[i + 1:j]
            yield tcl_list(body)


def parse(path, lang, base_opt):
    T = {"do": "run", "opts": None, "extra": [], "sources": [], "env": {}, "output": "",
         "shouldfail": False, "xfail": False, "timeout": None, "tfactor": 1.0, "skip": None}
    has_dorun = False
    for d in directives(path):
        op, a = d[0], d[1:]
        arg = a[0] if a else ""
        sel = a[1] if len(a) > 1 else ""
        if op == "dg-do":
            if arg == "run": has_dorun = True
            if sel:
                w = sel.split(None, 1)[0]
                if w == "target" and not target_clause(sel, lang):
                    if arg == "run" and T["do"] != "run": continue
                    T["skip"] = "dg-do %s not for this target" % arg
                    T["do"] = arg
                    continue
            if T["skip"] and T["skip"].startswith("dg-do"): T["skip"] = None
            T["do"] = arg
        elif op in ("dg-options", "dg-additional-options"):
            if sel and not target_clause(sel, lang): continue
            if op == "dg-options": T["opts"] = arg.split()
            else: T["extra"] += arg.split()
        elif op == "dg-require-effective-target":
            if not effective(arg): T["skip"] = "needs " + arg
        elif op in ("dg-require-alias",): pass
        elif op == "dg-skip-if":
            inc = a[2] if len(a) > 2 else "*"; exc = a[3] if len(a) > 3 else ""
            if selector(sel, lang):
                flags = " ".join([base_opt])
                excl = any(x in flags.split() for x in tcl_list(exc))
                if not excl: T["skip"] = "dg-skip-if %s" % sel
        elif op == "dg-xfail-run-if":
            if selector(sel, lang): T["xfail"] = True
        elif op == "dg-additional-sources":
            T["sources"] += arg.split()
        elif op == "dg-set-target-env-var": T["env"][arg] = sel
        elif op == "dg-output":
            if not sel or target_clause(sel, lang): T["output"] += arg
        elif op == "dg-shouldfail":
            if not sel or selector(sel, lang): T["shouldfail"] = True
        elif op == "dg-timeout": T["timeout"] = float(arg)
        elif op == "dg-timeout-factor": T["tfactor"] = float(arg)
    T["has_dorun"] = has_dorun
    return T
