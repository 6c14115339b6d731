#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The checks work: each rule is broken once in a small tree, and nothing else is reported."""
import contextlib
import io
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import check_english
import check_headers
import check_includes
import check_links
import check_names
import check_order
import check_processor
import check_routines
import check_rules
import check_runtimes
import check_style
import check_units

HEAD = "/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */\n"


class Tree(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp()).resolve()
        self.addCleanup(shutil.rmtree, self.root)
        for header in ("ompdd/base/error.h", "ompdd/rpc/message.h", "ompdd/session/session.h", "ompdd/server/server.h",
                       "ompdd/target/target.h", "ompdd/target/arch/arch.h", "ompdd/target/proc/proc.h", "ompdd/target/trace/traced.h",
                       "ompdd/target/sandbox/sandbox.h", "ompdd/target/stop/stopper.h", "ompdd/target/memory/cache.h", "ompdd/target/elf/symbols.h",
                       "ompdd/target/modules/modules.h", "ompdd/target/unwind/stack.h", "ompdd/target/source/lines.h", "ompdd/target/process/process.h",
                       "ompdd/target/core/core.h", "ompdd/tracer/tracee.h", "ompdd/openmp/plugin/plugin.h", "ompdd/openmp/runtimes/descriptor.h",
                       "ompdd/openmp/model/model.h",
                       "ompdd/openmp/stacks/stacks.h", "ompdd/worker/worker.h", "ompdd/methods/thread.h",
                       "libompd/handles.h", "runtime/include/omp-tools.h", "runtime/abi/abi.h", "runtime/core/state/team.h", "runtime/core/team/region.h",
                       "runtime/os/futex.h", "runtime/tools/ompd.h", "runtime/layout/layout.h", "clients/cli/table.h"):
            name = pathlib.Path(header).name.replace(".", "_").replace("-", "_").upper()
            self.put(header, f"#ifndef X_{name}\n#define X_{name}\n#endif\n")

    def put(self, name, text, head=None):
        """The license line and, in C, a first sentence before @text, unless @head is something else."""
        head = HEAD + "/* Numbers. */\n" * name.endswith(".c") if head is None else head
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(head + text)

    def findings(self, check, *args):
        with contextlib.redirect_stderr(io.StringIO()):
            return list(check(self.root, *args))

    def one(self, check, name, text, expected, *args, head=None):
        """Assert that there is exactly one finding, in the planted file, with the expected text."""
        self.assertEqual(self.findings(check, *args), [], "the tree was clean")
        self.put(name, text, head)
        found = self.findings(check, *args)
        self.assertEqual(len(found), 1, found)
        self.assertIn(name, found[0])
        self.assertIn(expected, found[0])
        (self.root / name).unlink()


class Includes(Tree):
    def test_every_wrong_arrow_is_found(self):
        headers = {"ompdd/base": "base/error.h", "ompdd/rpc": "rpc/message.h", "ompdd/session": "session/session.h",
                   "ompdd/server": "server/server.h", "ompdd/target/target.h": "target/target.h", "ompdd/target/arch": "target/arch/arch.h", "ompdd/target/proc": "target/proc/proc.h",
                   "ompdd/target/trace": "target/trace/traced.h", "ompdd/target/sandbox": "target/sandbox/sandbox.h",
                   "ompdd/target/stop": "target/stop/stopper.h", "ompdd/target/memory": "target/memory/cache.h", "ompdd/target/elf": "target/elf/symbols.h",
                   "ompdd/target/modules": "target/modules/modules.h", "ompdd/target/unwind": "target/unwind/stack.h",
                   "ompdd/target/source": "target/source/lines.h", "ompdd/target/process": "target/process/process.h",
                   "ompdd/target/core": "target/core/core.h", "ompdd/tracer": "tracer/tracee.h", "ompdd/openmp/plugin": "openmp/plugin/plugin.h",
                   "ompdd/openmp/runtimes": "openmp/runtimes/descriptor.h", "ompdd/openmp/model": "openmp/model/model.h",
                   "ompdd/openmp/stacks": "openmp/stacks/stacks.h",
                   "ompdd/worker": "worker/worker.h", "ompdd/methods": "methods/thread.h", "libompd": "handles.h",
                   "clients/cli": "cli/table.h", "runtime/abi": "abi/abi.h", "runtime/core/team": "core/team/region.h", "runtime/core/state": "core/state/team.h",
                   "runtime/os": "os/futex.h", "runtime/tools": "tools/ompd.h", "runtime/layout": "layout/layout.h"}
        wrong = 0
        for folder, allowed in check_includes.ARROWS.items():
            for other, header in headers.items():
                name = folder if folder.endswith(".c") else f"{folder}/planted.c"
                text = f'#include "{header}"\n'
                if check_includes.owner(pathlib.PurePath(other), allowed):
                    self.put(name, text)
                    self.assertEqual(self.findings(check_includes.check), [], f"{folder} may include {other}")
                    (self.root / name).unlink()
                else:
                    self.one(check_includes.check, name, text, f"may not include {other.removesuffix('/target.h')}")
                    wrong += 1
        self.assertGreater(wrong, 70)

    def test_relative_path_does_not_hide_an_arrow(self):
        self.one(check_includes.check, "ompdd/rpc/a.c", '#include "../server/server.h"\n', "may not include ompdd/server")

    def test_angle_brackets_do_not_hide_an_arrow(self):
        self.one(check_includes.check, "libompd/a.c", "#include <core/state/team.h>\n", "may not include runtime")

    def test_the_tracers_are_behind_the_stopper(self):
        self.put("ompdd/target/stop/tracer.h", "#ifndef X_TRACER_H\n#define X_TRACER_H\n#endif\n")
        self.one(check_includes.check, "ompdd/target/process/a.c", '#include "target/stop/tracer.h"\n', "use stopper.h")

    def test_unrooted_include(self):
        self.one(check_includes.check, "ompdd/rpc/a.c", '#include "message.h"\n', "rooted")

    def test_foreign_headers(self):
        for header in ("uv.h", "microhttpd.h"):
            self.one(check_includes.check, "ompdd/session/a.c", f"#include <{header}>\n", "only in ompdd/server")
        for header in ("sys/ptrace.h", "libelf.h", "thread_db.h"):
            self.one(check_includes.check, "ompdd/worker/a.c", f"#include <{header}>\n", "only in ompdd/target")
        self.one(check_includes.check, "ompdd/openmp/model/a.c", "#include <json-c/json.h>\n", "only in")
        self.one(check_includes.check, "ompdd/openmp/model/a.c", "#include <dlfcn.h>\n", "ompdd/openmp/plugin/plugin.c")
        self.put("ompdd/openmp/plugin/plugin.c", "#include <dlfcn.h>\nvoid *f(void) { return dlopen(0, 0); }\n")
        self.assertEqual(self.findings(check_includes.check), [])

    def test_calls_without_the_header(self):
        self.one(check_includes.check, "ompdd/session/a.c", "long f(void) { return ptrace(0, 1, 0, 0); }\n", "only in ompdd/target")
        self.one(check_includes.check, "ompdd/openmp/model/a.c", 'void *f(void) { return dlopen ("x", 1); }\n', "only in ompdd/openmp/plugin/plugin.c")
        self.one(check_includes.check, "ompdd/worker/a.c", "int f(void) { return socket(1, 1, 0); }\n", "only in")

    def test_folders_within_a_folder(self):
        self.put("ompdd/openmp/model/walk/walk.h", "#ifndef X_WALK_H\n#define X_WALK_H\n#endif\n")
        self.put("ompdd/openmp/stacks/a.c", '#include "openmp/model/walk/walk.h"\n')
        for part in ("state", ""):
            self.one(check_includes.check, f"ompdd/openmp/model/{part}/b.c".replace("//", "/"), '#include "openmp/model/walk/walk.h"\n',
                     "may not include ompdd/openmp/model/walk")

    def test_comments_and_strings_are_no_code(self):
        self.put("ompdd/session/a.c", '/* ptrace(0)\n#include <uv.h>\n*/\nconst char *s = "dlopen(x)"; // dlsym(y)\n')
        self.assertEqual(self.findings(check_includes.check), [])

    def test_tests_may_not_include_clients(self):
        self.one(check_includes.check, "tests/unit/rpc/a.c", '#include "cli/table.h"\n', "nobody may include clients")

    def test_new_folder_needs_a_rule(self):
        self.one(check_includes.check, "ompdd/new/a.c", "int x;\n", "no rule")


class Processor(Tree):
    def test_names_of_a_processor(self):
        for text in ("struct user_regs_struct r;\n", "long f(void) { return r.rip; }\n", "/* what rbx holds */\n", "char c = 0xcc;\n",
                     "int m = EM_X86_64;\n", "#include <sys/user.h>\n", 'const char *s = "on x86-64";\n', "/* %fs:0 */\n", "int a = R10;\n",
                     "ZydisDecoder d;\n"):
            self.one(check_processor.check, "ompdd/target/a.c", text, "depends on the processor")
        self.one(check_processor.check, "libompd/code/walk.c", "/* rdi */\n", "depends on the processor")

    def test_words_that_only_look_like_one(self):
        self.put("ompdd/target/a.c", "/* a description of strips, int32_t, %s and trip */\nunsigned r1, r16, sp, pc;\nint x = 0xccc;\n")
        self.assertEqual(self.findings(check_processor.check), [])

    def test_files_that_know_one(self):
        for name in ("ompdd/target/arch/arch.h", "ompdd/target/arch/arch_x86_64.c", "libompd/code/x86_64.c"):
            self.put(name, "int rip; /* int3 */\n")
        self.assertEqual(self.findings(check_processor.check), [])


class Runtimes(Tree):
    def test_names_of_a_runtime(self):
        for text in ('const char *s = "GOMP_barrier";\n', 'const char *s = ".gomp_critical_user_";\n', 'const char *s = "__kmpc_end_";\n',
                     'const char *s = "%s._omp_fn.%u";\n', 'const char *s = "KMP_LOCK_KIND";\n', "int libgomp;\n",
                     "bool f(void) { return r->descriptor == p; }\n", "void *f(void) { return &descriptor_other; }\n"):
            self.one(check_runtimes.check, "ompdd/openmp/stacks/a.c", text, "in ompdd/openmp/runtimes/")

    def test_others(self):
        self.put("ompdd/openmp/stacks/a.c", 'int ompt_state; /* as libgomp\nhas it */\nconst char *s = "libompd.so", *t = "omp_lock";\n')
        self.put("ompdd/openmp/runtimes/a.c", 'const char *f(void) { return &descriptor_libomp == p ? "libomp" : "__kmp"; }\n')
        self.assertEqual(self.findings(check_runtimes.check), [])


class Order(Tree):
    def test_atomics_without_a_protocol(self):
        self.put("runtime/ORDER.md", "**Claims** (`loop.c`): each once.\n", head="")
        self.put("runtime/core/loop.c", "int f(int *a) { return __atomic_fetch_add(a, 1, __ATOMIC_RELAXED); }\n")
        self.put("runtime/core/loop.h", "#define F(a) __atomic_load_n(a, __ATOMIC_RELAXED)\n")
        self.put("runtime/core/c.c", "/* as __atomic_load_n() does */ void g(void) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }\n")
        self.one(check_order.check, "runtime/core/b.c", "int f(int *a) { return __atomic_load_n(a, __ATOMIC_ACQUIRE); }\n", "not in runtime/ORDER.md")
        (self.root / "runtime/core/loop.c").unlink()
        (self.root / "runtime/core/loop.h").unlink()
        self.assertEqual(self.findings(check_order.check), ["runtime/ORDER.md:1: loop: has no atomics"])


class Style(Tree):
    def test_license(self):
        self.assertEqual(self.findings(check_style.check), [])
        self.put("ompdd/rpc/a.c", "int x;\n", head="")
        self.assertEqual(self.findings(check_style.check), ["ompdd/rpc/a.c:1: no SPDX line"])

    def test_comments(self):
        self.put("ompdd/rpc/b.c", "/* Finds\n * what is asked for. See b.h. */\nvoid f(void); /* called by main() */\n", head=HEAD)
        self.one(check_style.check, "ompdd/rpc/a.c", "int x;\n", "no sentence", head=HEAD)
        self.one(check_style.check, "ompdd/rpc/a.c", "/*\n * See a.h.\n */\n", "no sentence", head=HEAD)
        self.one(check_style.check, "ompdd/rpc/a.c", "/* Numbers; called\n * by b.c. */\n", "by whom", head=HEAD)
        self.one(check_style.check, "ompdd/rpc/a.c", "/* Numbers. */\n/* agreed */\n", "agreed", head=HEAD)

    def test_size(self):
        self.put("ompdd/rpc/a.c", "int x;\n" * 998)
        self.assertEqual(self.findings(check_style.check), [])
        (self.root / "ompdd/rpc/a.c").unlink()
        self.one(check_style.check, "ompdd/rpc/a.c", "int x;\n" * 999, "1001 lines")
        self.put("clients/python/ompdd/generated.py", "# Generated by x\n" + "x = 1\n" * 1000, head=HEAD.replace("/*", "#"))
        self.assertEqual(self.findings(check_style.check), [])

    def test_guard(self):
        self.one(check_style.check, "ompdd/rpc/a.h", "int x;\n", "guard")
        self.one(check_style.check, "ompdd/rpc/a.h", "#ifndef OMPDD_RPC_B_H\n#define OMPDD_RPC_B_H\n#endif\n", "guard")
        self.one(check_style.check, "ompdd/rpc/a.h", "#ifndef OMPDD_RPC_A_H\n#define OMPDD_RPC_AA_H\n#endif\n", "guard")

    def test_forbidden(self):
        self.one(check_style.check, "libompd/a.c", 'void f(char *s) { sprintf(s, "x"); }\n', "not to be called")
        self.one(check_style.check, "ompdd/rpc/a.c", "int f(char *s) { return atoi(s); }\n", "hides errors")
        self.one(check_style.check, "ompdd/target/a.c", "long x = PTRACE_ATTACH;\n", "PTRACE_SEIZE")
        self.put("ompdd/rpc/a.c", "/* sprintf() is bad */\nint my_sprintf(int x);\n")
        self.assertEqual(self.findings(check_style.check), [])

    def test_python(self):
        self.put("clients/python/ompdd/client.py", "import json\nfrom ompdd import uri\n", head=HEAD.replace("/*", "#"))
        self.assertEqual(self.findings(check_style.check), [])
        self.put("clients/python/ompdd/other.py", "import requests\n", head=HEAD.replace("/*", "#"))
        self.assertEqual(len(self.findings(check_style.check)), 1)


class Units(Tree):
    def test_each_test_mirrors_a_source(self):
        self.put("tests/unit/base/error.c", "")  # A test of a header.
        self.put("libompd/gomp/team.c", "")
        self.put("tests/unit/libompd/gomp/team.c", "")
        self.put("tests/unit/libompd/gomp.c", "")  # A test of a folder.
        self.one(check_units.check, "tests/unit/base/errors.c", "", "no ompdd/base/errors.c")
        self.one(check_units.check, "tests/unit/libompd/team.c", "", "no libompd/team.c")
        self.one(check_units.check, "tests/unit/cli/error.c", "", "no clients/cli/error.c")
        self.one(check_units.check, "tests/unit/base/error.h", "", "tests/support")


class Rules(Tree):
    def test_what_the_table_names_is_there(self):
        self.put("ompdd/server/a.c", "")
        self.put("tests/unit/server/a.c", "START_TEST(test_in_c)\n")
        self.put("tests/system/test_a.py", "def test_a():\n")
        good = "| 1 | rule | `server/a.c` | `system/test_a.py`: `test_a`; `unit/server/a.c`: `test_in_c` |\n"
        for bad, expected in ((good.replace("| 1", "| 2"), "rule 2 stands behind 0"), (good.replace("server/a.c` |", "server/b.c` |", 1), "no ompdd/server/b.c"),
                              (good.replace("`test_a`", "`test_b`"), "has no test_b"), (good.replace("`test_in_c`", "`test_c`"), "has no test_c"),
                              (good.replace("test_a.py", "test_b.py"), "no tests/system/test_b.py"), ("| 1 | rule | `server/a.c` | by hand |\n", "no test"),
                              ("| 1 | rule | a.c | `unit/server/a.c` |\n", "no code"), ("no table\n", "no table")):
            self.one(check_rules.check, "SECURITY.md", bad, expected, head="# Security\n")
        self.put("SECURITY.md", good, head="# Security\n")
        self.assertEqual(self.findings(check_rules.check), [])


class English(Tree):
    def test_comments(self):
        for bad, expected in (("/* Nobody waits. */", "name the process"), ("/* Who waits, sleeps. */", "starts with"),
                              ("/* The list,\n * of which one is used. */", "a.c:4: \"of which\""), ("// the keeper", "watchdog")):
            self.one(check_english.check, "ompdd/rpc/a.c", f"{bad}\n", expected)
        self.put("ompdd/rpc/a.c", "/* Report \"nobody\" and `keeper`. */\nint nobody;\nconst char *s = \"who is none\";\n")
        self.assertEqual(self.findings(check_english.check), [])

    def test_scripts(self):
        for name in ("a.sh", "CMakeLists.txt", "a.cmake"):
            self.one(check_english.check, f"tests/fuzz/{name}", "set(a 1)\n# A build\n# is told.\n", "\"told\"")
        self.put("tests/fuzz/a.txt", "# It tells.\n")
        self.put("tests/fuzz/a.sh", "#!/bin/sh\necho nobody\n")
        self.put("tests/fuzz/CMakeLists.txt", "message(\"it tells\")\n")
        self.put("tests/fuzz/a.cmake", "# A build.\n")
        self.assertEqual(self.findings(check_english.check), [])

    def test_markdown(self):
        long = "word " * 31
        self.one(check_english.check, "docs/a.md", f"# A\n\n{long}.\n", "a.md:3: a sentence of 31 words", head="")
        self.one(check_english.check, "docs/a.md", "It tells you.\n", "report", head="")
        self.put("docs/a.md", f"# A\n\n```\n{long}nobody\n```\n\n- {'word ' * 16}\n- {'word ' * 16}\n", head="")
        self.assertEqual(self.findings(check_english.check), [])


class Names(Tree):
    def findings_of(self, *outputs):
        """Objects of one source that defines twice(), as if each were built from the source with its name."""
        self.put("a.c", "int twice;\nint main(void) { return 0; }\n")
        commands = []
        for output in outputs:
            (self.root / output).parent.mkdir(parents=True, exist_ok=True)
            subprocess.run(["gcc", "-c", "-o", str(self.root / output), str(self.root / "a.c")], check=True)
            commands.append({"command": f"cc -o {output} -c a.c", "file": pathlib.PurePath(output).with_suffix("").name})
        (self.root / "compile_commands.json").write_text(json.dumps(commands))
        return check_names.findings(self.root)

    def test_two_bodies(self):
        self.assertEqual(self.findings_of("ompdd/a.c.o", "clients/b.c.o", "clients/z/b.c.o"), ["twice: a.c, b.c"])

    def test_one_body(self):
        self.assertEqual(self.findings_of("ompdd/x/a.c.o", "ompdd/y/a.c.o", "tests/b.c.o"), [])

    def test_nothing_built(self):
        self.assertIn("build it first", self.findings_of()[0])


class Headers(Tree):
    def test_header_that_needs_another(self):
        self.one(check_headers.check, "ompdd/rpc/a.h", "#ifndef A_H\n#define A_H\nsize_t x(void);\n#endif\n",
                 "does not compile alone", ["gcc"])


class Routines(Tree):
    ROW = "| `ompd_get_level` | 6.1 | | `a.list`: `rows[].level` and `icvs` `dyn-var` |\n"

    def setUp(self):
        super().setUp()
        row = {"properties": {"level": {}, "icvs": {}}}
        rows = {"anyOf": [{"items": {"$ref": "common/definitions.json#/definitions/row"}}]}
        result = {"properties": {"rows": rows, "icvs": {}}}
        self.put("protocol/schema/a.list.json", json.dumps({"properties": {"params": {}, "result": result}}), "")
        self.put("protocol/schema/common/definitions.json", json.dumps({"definitions": {"row": row}}), "")
        self.put("libompd/icv.def", 'ICV(DYN, "dyn-var", task)\n')
        self.put("libompd/ompd-drafts.h", "OMPD_API ompd_rc_t ompd_get_level(void);\n")
        self.put("docs/ompd.md", self.ROW, "")

    def test_method(self):
        self.one(check_routines.check, "docs/ompd.md", self.ROW.replace("a.list", "b.list"), "there is no method b.list", head="")

    def test_member(self):
        self.one(check_routines.check, "docs/ompd.md", self.ROW.replace("].level", "].depth"), "has no member rows[].depth", head="")

    def test_control_variable(self):
        self.one(check_routines.check, "docs/ompd.md", self.ROW.replace("dyn-", "x-"), "has no x-var", head="")

    def test_missing_row(self):
        self.one(check_routines.check, "docs/ompd.md", "\n", "0 rows for ompd_get_level", head="")


class Links(Tree):
    def build(self, name, code, *flags):
        self.put("bin/planted.c", code)
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", str(self.root / "bin" / name), str(self.root / "bin/planted.c"), *flags],
                       check=True)

    def test_wrong_imports_and_libraries(self):
        self.build("ompdd", "long ptrace(int, ...); long f(void) { return ptrace(0); }")
        self.build("ompdd-worker", "int socket(int, int, int); int f(void) { return socket(1, 1, 0); }")
        self.build("ompdd-tracer", "void *dlopen(const char *, int); void *f(void) { return dlopen(\"x\", 1); }")
        self.build("ompdctl", "void *dlsym(void *, const char *); void *f(void) { return dlsym(0, \"x\"); }")
        self.build("libompdd-client.so", "void exit(int); void f(void) { exit(1); }")
        self.build("libompd.so", "int x;", "-Wl,--no-as-needed", "-fopenmp")
        self.assertEqual(list(check_links.check([self.root / "bin"])),
                         ["ompdd: imports ptrace", "ompdd-worker: imports socket", "ompdd-tracer: imports dlopen", "ompdctl: imports dlsym",
                          "libompdd-client.so: imports exit", "libompd.so: needs libgomp.so.1"])

    def test_missing_file(self):
        self.assertEqual(list(check_links.check([self.root / "bin"])),
                         ["ompdd: is not built", "ompdd-worker: is not built", "ompdd-tracer: is not built", "ompdctl: is not built",
                          "libompdd-client.so: is not built", "libompd.so: is not built"])


if __name__ == "__main__":
    unittest.main()
