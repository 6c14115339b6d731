/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The constructs that epcc.c measures.  */
#include <omp.h>

static int nt = 2;                           /* threads of a team */
static volatile long sink;
static long cell[1024 * 8];

/* Each body runs N constructs and returns the number of units. */
typedef long (*body_t) (long n);

static long b_parallel (long n)
{ for (long i = 0; i < n; i++) {
#pragma omp parallel num_threads(nt)
    __asm__ volatile ("" ::: "memory");
  } return n; }

static long b_parallel_for (long n)
{ for (long i = 0; i < n; i++) {
#pragma omp parallel for num_threads(nt) schedule(static)
    for (int j = 0; j < 64; j++) __asm__ volatile ("" ::: "memory");
  } return n; }

static long b_parallel_shrink (long n)       /* team size alternates nt, nt+1 */
{ for (long i = 0; i < n; i++) {
#pragma omp parallel num_threads(nt + (int) (i & 1))
    __asm__ volatile ("" ::: "memory");
  } return n; }

static long b_parallel_nested (long n)       /* inner region, 2 threads, from an outer team of nt */
{
  omp_set_max_active_levels (2);
#pragma omp parallel num_threads(nt)
  for (long i = 0; i < n; i++) {
#pragma omp parallel num_threads(2)
    __asm__ volatile ("" ::: "memory");
  }
  omp_set_max_active_levels (1);
  return n;
}

static long b_for_static (long n)
{
#pragma omp parallel num_threads(nt)
  for (long i = 0; i < n; i++) {
#pragma omp for schedule(static)
    for (int j = 0; j < 64; j++) __asm__ volatile ("" ::: "memory");
  }
  return n;
}
static long b_for_runtime_static (long n)
{
  omp_set_schedule (omp_sched_static, 0);
#pragma omp parallel num_threads(nt)
  for (long i = 0; i < n; i++) {
#pragma omp for schedule(runtime)
    for (int j = 0; j < 64; j++) __asm__ volatile ("" ::: "memory");
  }
  return n;
}
#define ITERS 1024
static long b_for_dynamic1 (long n)          /* per iteration */
{
#pragma omp parallel num_threads(nt)
  for (long i = 0; i < n; i++) {
#pragma omp for schedule(dynamic, 1)
    for (int j = 0; j < ITERS; j++) __asm__ volatile ("" ::: "memory");
  }
  return n * ITERS;
}
static long b_for_dynamic16 (long n)         /* per chunk */
{
#pragma omp parallel num_threads(nt)
  for (long i = 0; i < n; i++) {
#pragma omp for schedule(dynamic, 16)
    for (int j = 0; j < ITERS * 16; j++) __asm__ volatile ("" ::: "memory");
  }
  return n * ITERS;
}
static long b_for_guided1 (long n)           /* per loop of 1024 iterations */
{
#pragma omp parallel num_threads(nt)
  for (long i = 0; i < n; i++) {
#pragma omp for schedule(guided, 1)
    for (int j = 0; j < ITERS; j++) __asm__ volatile ("" ::: "memory");
  }
  return n;
}
static long b_for_dyn_nowait (long n)        /* per loop of 8 iterations, nowait */
{
#pragma omp parallel num_threads(nt)
  for (long i = 0; i < n; i++) {
#pragma omp for schedule(dynamic, 1) nowait
    for (int j = 0; j < 8; j++) __asm__ volatile ("" ::: "memory");
  }
  return n;
}
static long b_barrier (long n)
{
#pragma omp parallel num_threads(nt)
  for (long i = 0; i < n; i++) {
#pragma omp barrier
  }
  return n;
}
static long b_single (long n)
{
#pragma omp parallel num_threads(nt)
  for (long i = 0; i < n; i++) {
#pragma omp single
    __asm__ volatile ("" ::: "memory");
  }
  return n;
}
static long b_single_nowait (long n)
{
#pragma omp parallel num_threads(nt)
  for (long i = 0; i < n; i++) {
#pragma omp single nowait
    __asm__ volatile ("" ::: "memory");
  }
  return n;
}
static long b_copyprivate (long n)
{
#pragma omp parallel num_threads(nt)
  {
    long v = 0;
    for (long i = 0; i < n; i++) {
#pragma omp single copyprivate(v)
      v = i;
    }
    sink = v;
  }
  return n;
}
static long b_sections (long n)
{
#pragma omp parallel num_threads(nt)
  for (long i = 0; i < n; i++) {
#pragma omp sections
    {
#pragma omp section
      __asm__ volatile ("" ::: "memory");
#pragma omp section
      __asm__ volatile ("" ::: "memory");
    }
  }
  return n;
}
static long b_critical (long n)              /* per critical, all threads contending */
{
  long c = 0;
#pragma omp parallel num_threads(nt)
  for (long i = 0; i < n; i++) {
#pragma omp critical
    c++;
  }
  sink = c; return n * nt;
}
static long b_critical_named (long n)
{
  long c = 0;
#pragma omp parallel num_threads(nt)
  for (long i = 0; i < n; i++) {
#pragma omp critical(bench)
    c++;
  }
  sink = c; return n * nt;
}
static omp_lock_t lk; static omp_nest_lock_t nlk;
static long b_lock (long n)
{
  long c = 0;
#pragma omp parallel num_threads(nt)
  for (long i = 0; i < n; i++) { omp_set_lock (&lk); c++; omp_unset_lock (&lk); }
  sink = c; return n * nt;
}
static long b_lock_nocontend (long n)
{
  for (long i = 0; i < n; i++) { omp_set_lock (&lk); sink++; omp_unset_lock (&lk); }
  return n;
}
static long b_nest_lock (long n)
{
  for (long i = 0; i < n; i++) { omp_set_nest_lock (&nlk); sink++; omp_unset_nest_lock (&nlk); }
  return n;
}
static long b_atomic (long n)                /* inline instruction: control value */
{
  long c = 0;
#pragma omp parallel num_threads(nt)
  for (long i = 0; i < n; i++) {
#pragma omp atomic
    c++;
  }
  sink = c; return n * nt;
}
static long b_atomic_ld (long n)             /* long double: GOMP_atomic_start/end */
{
  long double c = 0;
#pragma omp parallel num_threads(nt)
  for (long i = 0; i < n; i++) {
#pragma omp atomic
    c += 1;
  }
  sink = c; return n * nt;
}
static long b_reduction (long n)
{
  long s = 0;
  for (long i = 0; i < n; i++) {
#pragma omp parallel num_threads(nt) reduction(+:s)
    s += 1;
  }
  sink = s; return n;
}
static long b_reduction3 (long n)            /* three variables: GOMP_atomic_start/end */
{
  double a = 0, b = 0, c = 1;
  for (long i = 0; i < n; i++) {
#pragma omp parallel num_threads(nt) reduction(+:a,b) reduction(max:c)
    { a += 1; b += 2; c = 3; }
  }
  sink = a + b + c; return n;
}
static long b_ordered (long n)               /* per iteration */
{
#pragma omp parallel num_threads(nt)
  for (long i = 0; i < n; i++) {
#pragma omp for ordered schedule(static, 1)
    for (int j = 0; j < 64; j++) {
#pragma omp ordered
      sink = j;
    }
  }
  return n * 64;
}
static long b_doacross (long n)              /* per iteration */
{
#pragma omp parallel num_threads(nt)
  for (long i = 0; i < n; i++) {
#pragma omp for ordered(1) schedule(static, 1)
    for (int j = 0; j < 64; j++) {
#pragma omp ordered depend(sink: j - 1)
      sink = j;
#pragma omp ordered depend(source)
    }
  }
  return n * 64;
}
static long b_task_flat (long n)             /* one creator, per task */
{
#pragma omp parallel num_threads(nt)
#pragma omp single
  for (long i = 0; i < n; i++) {
    for (int j = 0; j < 256; j++)
#pragma omp task
      __asm__ volatile ("" ::: "memory");
#pragma omp taskwait
  }
  return n * 256;
}
static long b_task_flat_all (long n)         /* every thread creates, per task */
{
#pragma omp parallel num_threads(nt)
  for (long i = 0; i < n; i++) {
    for (int j = 0; j < 256; j++)
#pragma omp task
      __asm__ volatile ("" ::: "memory");
#pragma omp taskwait
  }
  return n * 256 * nt;
}
static long b_task_burst (long n)            /* one creator, tasks run at the barrier */
{
#pragma omp parallel num_threads(nt)
  for (long i = 0; i < n; i++) {
#pragma omp single
    for (int j = 0; j < 100; j++)
#pragma omp task firstprivate(j)
      sink = j;
  }
  return n * 100;
}
static void work1us (void) { for (int k = 0; k < 700; k++) __asm__ volatile ("" ::: "memory"); }
static long b_task_1us (long n)              /* tasks of a fixed grain, one creator */
{
#pragma omp parallel num_threads(nt)
#pragma omp single
  for (long i = 0; i < n; i++) {
    for (int j = 0; j < 256; j++)
#pragma omp task
      work1us ();
#pragma omp taskwait
  }
  return n * 256;
}
static long fibtasks;
static long fib (int k)
{
  long x, y;
  if (k < 2) return k;
#pragma omp task shared(x)
  x = fib (k - 1);
#pragma omp task shared(y)
  y = fib (k - 2);
#pragma omp taskwait
  return x + y;
}
static long fibcount (int k) { return k < 2 ? 0 : 2 + fibcount (k - 1) + fibcount (k - 2); }
static long b_task_fib (long n)              /* fib(16), no cut-off, per task */
{
  if (!fibtasks) fibtasks = fibcount (16);
#pragma omp parallel num_threads(nt)
#pragma omp single
  for (long i = 0; i < n; i++) sink = fib (16);
  return n * fibtasks;
}
static void tree (int d)
{
  if (!d) return;
#pragma omp task
  tree (d - 1);
#pragma omp task
  tree (d - 1);
}
static long b_task_tree (long n)             /* binary tree depth 11 without taskwait, per task */
{
#pragma omp parallel num_threads(nt)
  for (long i = 0; i < n; i++) {
#pragma omp single
    tree (11);
  }
  return n * (4096 - 2);
}
static long b_task_if0 (long n)              /* undeferred task */
{
#pragma omp parallel num_threads(nt)
#pragma omp single
  for (long i = 0; i < n; i++)
#pragma omp task if(0)
    sink = i;
  return n;
}
static long b_taskwait_empty (long n)
{
#pragma omp parallel num_threads(nt)
#pragma omp single
  for (long i = 0; i < n; i++) {
#pragma omp taskwait
  }
  return n;
}
static long b_taskgroup_empty (long n)
{
#pragma omp parallel num_threads(nt)
#pragma omp single
  for (long i = 0; i < n; i++) {
#pragma omp taskgroup
    __asm__ volatile ("" ::: "memory");
  }
  return n;
}
static long b_taskloop_g1 (long n)           /* per iteration = per task */
{
#pragma omp parallel num_threads(nt)
#pragma omp single
  for (long i = 0; i < n; i++) {
#pragma omp taskloop grainsize(1)
    for (int j = 0; j < 256; j++) __asm__ volatile ("" ::: "memory");
  }
  return n * 256;
}
static long b_taskloop (long n)              /* per taskloop, default tasks */
{
#pragma omp parallel num_threads(nt)
#pragma omp single
  for (long i = 0; i < n; i++) {
#pragma omp taskloop
    for (int j = 0; j < 256; j++) __asm__ volatile ("" ::: "memory");
  }
  return n;
}
static long b_depend_chain (long n)          /* one chain, per task */
{
  long x = 0;
#pragma omp parallel num_threads(nt)
#pragma omp single
  for (long i = 0; i < n; i++) {
    for (int j = 0; j < 256; j++)
#pragma omp task depend(inout: x) shared(x)
      x++;
#pragma omp taskwait
  }
  sink = x;
  return n * 256;
}
static long b_depend_stencil (long n)        /* 32 cells, 8 sweeps, in: left right, inout: self */
{
#pragma omp parallel num_threads(nt)
#pragma omp single
  for (long i = 0; i < n; i++) {
    for (int s = 0; s < 8; s++)
      for (int j = 1; j <= 32; j++)
#pragma omp task depend(in: cell[(j - 1) * 8], cell[(j + 1) * 8]) depend(inout: cell[j * 8])
        cell[j * 8]++;
#pragma omp taskwait
  }
  return n * 256;
}
static long b_thread_num (long n)
{
  long s = 0;
  for (long i = 0; i < n; i++) s += omp_get_thread_num ();
  sink = s; return n;
}

static struct { const char *name; body_t f; } B[] = {
  { "parallel", b_parallel }, { "parallel_for", b_parallel_for },
  { "parallel_alt_size", b_parallel_shrink }, { "parallel_nested", b_parallel_nested },
  { "reduction", b_reduction }, { "reduction3", b_reduction3 },
  { "for_static", b_for_static }, { "for_runtime_static", b_for_runtime_static },
  { "for_dynamic1/iter", b_for_dynamic1 }, { "for_dynamic16/chunk", b_for_dynamic16 },
  { "for_guided1", b_for_guided1 }, { "for_dynamic8_nowait", b_for_dyn_nowait },
  { "barrier", b_barrier }, { "single", b_single }, { "single_nowait", b_single_nowait },
  { "copyprivate", b_copyprivate }, { "sections", b_sections },
  { "critical", b_critical }, { "critical_named", b_critical_named },
  { "lock", b_lock }, { "lock_uncontended", b_lock_nocontend }, { "nest_lock_uncont", b_nest_lock },
  { "atomic_long", b_atomic }, { "atomic_longdouble", b_atomic_ld },
  { "ordered/iter", b_ordered }, { "doacross/iter", b_doacross },
  { "task_flat", b_task_flat }, { "task_flat_all", b_task_flat_all }, { "task_burst", b_task_burst },
  { "task_1us", b_task_1us }, { "task_fib16", b_task_fib }, { "task_tree", b_task_tree },
  { "task_if0", b_task_if0 }, { "taskwait_empty", b_taskwait_empty },
  { "taskgroup_empty", b_taskgroup_empty },
  { "taskloop_g1/task", b_taskloop_g1 }, { "taskloop_default", b_taskloop },
  { "depend_chain", b_depend_chain }, { "depend_stencil", b_depend_stencil },
  { "omp_get_thread_num", b_thread_num },
};
