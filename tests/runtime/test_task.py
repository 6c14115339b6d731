# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tasks: programs of task/. Each checks itself and exits with 0."""
import os
import re
import shutil
import subprocess

import pytest

from support import OURS, environment

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "task")
POLICIES = [{}, {"OMP_WAIT_POLICY": "active"}, {"OMP_WAIT_POLICY": "passive"}, {"OMP_MAX_TASK_PRIORITY": "30"},
            {"OMP_DEBUG": "enabled"}, {"OMP_CANCELLATION": "true"}]


def source(name):
    with open(os.path.join(HERE, name + ".c"), encoding="utf-8") as f:
        return f.read()


def run(program, *args, **variables):
    done = subprocess.run([program, *args], env=environment(OURS, **variables), timeout=600, capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("policy", POLICIES, ids=str)
def test_tasks_of_all_kinds(compiled, policy):
    assert run(compiled(source("mix"), "mix"), "40", "5", **policy) == "ok\n"


def test_one_thread(compiled):
    assert run(compiled(source("mix"), "mix"), "20", "1") == "ok\n"


@pytest.mark.parametrize("policy", POLICIES[:3], ids=str)
def test_regions_in_tasks(compiled, policy):
    assert run(compiled(source("nest"), "nest"), "50", **policy) == "ok\n"


def test_cancelled_is_what_was_named(compiled):
    run(compiled(source("cancels"), "cancels_tasks"), OMP_CANCELLATION="true")


def test_a_long_chain_of_tasks_needs_no_stack(compiled):
    # Each task creates the next one as its last action.
    chain = """
    static void next(long n) {
        char room[200];
        __asm__ volatile("" : : "r"(room) : "memory");
        if (n) {
            #pragma omp task firstprivate(n)
            next(n - 1);
        }
    }
    int main(void) {
        #pragma omp parallel num_threads(1)
        next(1000000);
    }
    """
    run(compiled(chain, "chain"))


def test_outside_of_regions_all_is_done_at_once(compiled):
    program = """
    static int n;
    static void deep(int depth) {
        if (!depth)
            return;
        #pragma omp task
        {
            n++;
            deep(depth - 1);
        }
    }
    int main(void) {
        deep(1000);
        #pragma omp taskloop nogroup grainsize(1)
        for (int i = 0; i < 1000; i++)
            n++;
        return n != 2000;
    }
    """
    run(compiled(program, "outside"))


def test_undeferred_tasks_in_each_other(compiled):
    program = """
    static long n;
    static void deep(int depth) {
        if (!depth)
            return;
        #pragma omp task if (0)
        deep(depth - 1);
        #pragma omp task
        {
            #pragma omp atomic
            n++;
        }
    }
    static void final(int depth) {
        if (!depth)
            return;
        #pragma omp task final(1)
        final(depth - 1);
        #pragma omp atomic
        n++;
    }
    int main(void) {
        #pragma omp parallel num_threads(3)
        #pragma omp single
        for (int i = 0; i < 20; i++) {
            deep(3000);
            final(3000);
        }
        return n != 20 * 6000;
    }
    """
    run(compiled(program, "deep"))


def test_memory_is_used_again(compiled):
    # A million tasks that one thread creates and others execute, with data of their own; dependences on a million
    # addresses.
    program = """
    #include <stdio.h>
    #include <stdlib.h>
    static char addresses[1000000];
    /* Not getrusage(), whose maximum knows the process that forked this one, too. */
    static long most_memory_kb(void) {
        char line[256];
        long kb = -1;
        FILE *status = fopen("/proc/self/status", "r");
        while (status && kb < 0 && fgets(line, sizeof(line), status))
            sscanf(line, "VmHWM: %ld", &kb);
        return kb;
    }
    int main(void) {
        char big[1000] = {1};
        #pragma omp parallel num_threads(3)
        #pragma omp single
        for (int i = 0; i < 1000000; i++) {
            #pragma omp task firstprivate(i)
            __asm__ volatile("" : : "r"(i) : "memory");
            if (i % 10 == 0) {
                #pragma omp task firstprivate(big)
                __asm__ volatile("" : : "r"(big) : "memory");
            }
            #pragma omp task depend(inout : addresses[i])
            __asm__ volatile("" : : : "memory");
            if (i % 1000 == 0) {
                #pragma omp taskwait
            }
        }
        long kb = most_memory_kb();
        return kb < 0 || kb > 30000;
    }
    """
    run(compiled(program, "memory"))


@pytest.mark.parametrize("clause", ["", "grainsize(1)", "nogroup"])
@pytest.mark.parametrize("policy", POLICIES[:3], ids=str)
def test_all_threads_get_their_part_of_a_taskloop(compiled, clause, policy):
    # Each task waits until as many tasks as threads have started.
    program = """
    #include <sched.h>
    int main(void) {
        for (int round = 0; round < 20; round++) {
            int begun = 0;
            #pragma omp parallel num_threads(8)
            #pragma omp single
            #pragma omp taskloop CLAUSE shared(begun)
            for (int i = 0; i < 8; i++) {
                __atomic_add_fetch(&begun, 1, __ATOMIC_RELEASE);
                while (__atomic_load_n(&begun, __ATOMIC_ACQUIRE) < 8)
                    sched_yield();
            }
        }
    }
    """
    run(compiled(program.replace("CLAUSE", clause), "part" + "".join(filter(str.isalpha, clause))), **policy)


@pytest.mark.parametrize("policy", POLICIES[:3], ids=str)
def test_each_task_of_a_taskloop_is_executed_once(compiled, policy):
    # Short tasks, long tasks, and tasks that create tasks or taskloops of their own, which run first.
    program = """
    #include <sched.h>
    #define N 20000
    static unsigned done[N];
    static void do_it(int i) {
        __atomic_add_fetch(&done[i], 1, __ATOMIC_RELAXED);
        for (int n = i / 2000 % 2 * (i % 10); n; n--)
            sched_yield();
    }
    int main(void) {
        #pragma omp parallel num_threads(4)
        #pragma omp single
        {
            #pragma omp taskloop grainsize(1)
            for (int i = 0; i < N; i++) {
                if (i % 7 == 0) {
                    #pragma omp task
                    do_it(i);
                    if (i % 2) {
                        #pragma omp taskwait
                    }
                } else {
                    do_it(i);
                }
            }
            #pragma omp taskloop nogroup grainsize(1)
            for (int i = 0; i < 100; i++) {
                #pragma omp taskloop grainsize(1)
                for (int j = 0; j < N / 100; j++)
                    do_it(i * (N / 100) + j);
            }
        }
        for (int i = 0; i < N; i++)
            if (done[i] != 2)
                return 1;
        return 0;
    }
    """
    run(compiled(program, "once"), **policy)


@pytest.mark.skipif(not shutil.which("gdb"), reason="no gdb")
@pytest.mark.parametrize("name", ["mix", "cancels"])
def test_each_task_that_begins_ends(compiled, name):
    program = compiled(source(name), name + "_points")
    commands = ["set breakpoint pending on", "break ompd_bp_task_begin", "break ompd_bp_task_end", "ignore 1 100000000",
                "ignore 2 100000000", "run 2 3" if name == "mix" else "run", "info breakpoints"]
    done = subprocess.run(["gdb", "-nx", "-batch"] + [w for c in commands for w in ("-ex", c)] + [program],
                          env=environment(OURS, OMP_DEBUG="enabled", OMP_CANCELLATION="true"), timeout=600, capture_output=True,
                          text=True, check=False)
    hits = [int(n) for n in re.findall(r"already hit (\d+) times", done.stdout)]
    assert "exited normally" in done.stdout, done.stdout + done.stderr
    assert len(hits) == 2 and hits[0] == hits[1] > 1000, done.stdout
