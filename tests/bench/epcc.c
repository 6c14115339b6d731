/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* EPCC-style OpenMP overhead microbenchmark (own code).
   Usage: epcc [-t threads] [-r outer] [-m ms-per-sample] [-k name-substring]
   Prints "name<TAB>median ns per construct (or per iteration / per task)<TAB>min ns".
   Build: gcc -O2 -fopenmp epcc.c -o epcc       (any libgomp.so.1 at run time)  */
#define _GNU_SOURCE
#include "epcc_constructs.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <signal.h>
#include <sys/wait.h>

static int outer = 9;
static double target_ns = 8e6;
static const char *only;

static double now (void)
{
  struct timespec ts;
  clock_gettime (CLOCK_MONOTONIC, &ts);
  return ts.tv_sec * 1e9 + ts.tv_nsec;
}

static int cmp (const void *a, const void *b)
{ double x = *(const double *) a, y = *(const double *) b; return x < y ? -1 : x > y; }

static void bench (unsigned k)
{
  double v[100]; long n = 1; double t;
  omp_set_dynamic (0);
  omp_set_max_active_levels (1);
  omp_init_lock (&lk); omp_init_nest_lock (&nlk);
  B[k].f (1);                                   /* warm up */
  for (;;)
    {
      double t0 = now (); B[k].f (n); t = now () - t0;
      if (t >= target_ns / 4 || n > (1L << 40)) break;
      n *= 2;
    }
  n = (long) (n * (target_ns / t));
  if (n < 1) n = 1;
  for (int r = 0; r < outer; r++)
    {
      double t0 = now (); long u = B[k].f (n); v[r] = (now () - t0) / u;
    }
  qsort (v, outer, sizeof *v, cmp);
  printf ("%s\t%.1f\t%.1f\n", B[k].name, v[outer / 2], v[0]);
  fflush (stdout);
}

/* Every benchmark runs in a child of its own, so that a crash or a hang of one
   does not lose the others and no benchmark inherits another one's threads.  */
int main (int argc, char **argv)
{
  for (int i = 1; i + 1 < argc; i += 2)
    if (!strcmp (argv[i], "-t")) nt = atoi (argv[i + 1]);
    else if (!strcmp (argv[i], "-r")) outer = atoi (argv[i + 1]);
    else if (!strcmp (argv[i], "-m")) target_ns = atof (argv[i + 1]) * 1e6;
    else if (!strcmp (argv[i], "-k")) only = argv[i + 1];
  if (outer > 99) outer = 99;
  for (unsigned k = 0; k < sizeof B / sizeof *B; k++)
    {
      int st;
      if (only && !strstr (B[k].name, only)) continue;
      fflush (stdout);
      pid_t pid = fork ();
      if (pid == 0) { alarm (20); bench (k); _exit (0); }
      waitpid (pid, &st, 0);
      if (WIFSIGNALED (st)) printf ("%s\t%s\t-\n", B[k].name, WTERMSIG (st) == SIGALRM ? "hang" : "crash");
    }
  return 0;
}
