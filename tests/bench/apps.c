/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Programs that resemble real applications. Each is hard for a runtime in its own way.
 * Build: gcc -O2 -fopenmp apps.c
 * Usage: apps [-k name-substring] [-s percent of the usual work]
 * Prints "name<TAB>milliseconds of elapsed time<TAB>milliseconds of processor time<TAB>checksum".
 * The checksum is the same for all runtimes.
 */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double scale = 1;

static double seconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static long scaled(long n)
{
	n = (long)((double)n * scale);
	return n > 0 ? n : 1;
}

/*
 * Phases of a simulation with many more threads than CPUs: each phase needs the neighbours' results of the phase
 * before.
 */
static double crowd(int n_threads, long n_phases)
{
	double *now = calloc((size_t)n_threads, sizeof(*now)), *next = calloc((size_t)n_threads, sizeof(*next)), sum = 0;

	now[0] = 1;
#pragma omp parallel num_threads(n_threads)
	{
		double *from = now, *to = next, *swap;
		int i = omp_get_thread_num(), n = omp_get_num_threads();

		for (long phase = 0; phase < n_phases; phase++) {
			to[i] = 0.5 * from[i] + 0.25 * (from[(i + 1) % n] + from[(i + n - 1) % n]);
			swap = from;
			from = to;
			to = swap;
#pragma omp barrier
		}
	}
	for (int i = 0; i < n_threads; i++)
		sum += now[i] + next[i];
	free(now);
	free(next);
	return sum;
}

static double crowd_64(void)
{
	return crowd(64, scaled(600));
}

static double crowd_256(void)
{
	return crowd(256, scaled(150));
}

/*
 * Millions of tiny tasks in a tree that cannot be balanced beforehand: a node's number alone determines its number of
 * children.
 */
static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 31)) * 0x7fb5d329728ea185;
	x = (x ^ (x >> 27)) * 0x81dadef4bc2dd44d;
	return x ^ (x >> 33);
}

static long n_nodes;

static void node(uint64_t number, int depth)
{
	uint64_t children = depth < 3 ? 8 : mix(number) % 1000 < 246 ? 4 : 0;

#pragma omp atomic
	n_nodes++;
	for (uint64_t i = 0; depth < 60 && i < children; i++) {
#pragma omp task firstprivate(number, depth, i)
		node(mix(number + i + 1), depth + 1);
	}
}

static double tree(int n_threads)
{
	n_nodes = 0;
#pragma omp parallel num_threads(n_threads)
#pragma omp single
	for (long i = 0; i < scaled(40); i++)
		node((uint64_t)i, 0);
	return (double)n_nodes;
}

static double tree_2(void)
{
	return tree(2);
}

/* One thread creates tasks, the others execute them. */
static double producer_2(void)
{
	long sum = 0;

#pragma omp parallel num_threads(2) reduction(+ : sum)
	{
#pragma omp single nowait
		for (long i = 0; i < scaled(1000000); i++) {
#pragma omp task firstprivate(i) shared(n_nodes)
			__asm__ volatile("" : : "r"(i) : "memory");
		}
	}
	return (double)sum;
}

/* The regions of a solver with short vectors: starting and ending regions costs more than the work. */
static double solver(int n_threads, long n_rounds)
{
	enum { N = 2000 };
	static double x[N], y[N];
	double dot = 0;

	for (int i = 0; i < N; i++) {
		x[i] = 1.0 / (i + 1);
		y[i] = 0;
	}
	for (long round = 0; round < n_rounds; round++) {
		dot = 0;
#pragma omp parallel for num_threads(n_threads) reduction(+ : dot)
		for (int i = 0; i < N; i++)
			dot += x[i] * x[i];
#pragma omp parallel for num_threads(n_threads)
		for (int i = 0; i < N; i++)
			y[i] = y[i] * 0.5 + x[i] / dot;
	}
	return y[N / 2];
}

static double solver_2(void)
{
	return solver(2, scaled(20000));
}

static double solver_4(void)
{
	return solver(4, scaled(20000));
}

/* Heat in a plate: rows for each thread, a barrier for each step. */
static double plate(int n_threads, long n_steps)
{
	enum { N = 256 };
	static double plates[2][N][N];

	memset(plates, 0, sizeof(plates));
	for (int i = 0; i < N; i++)
		plates[0][i][0] = plates[1][i][0] = 100;
#pragma omp parallel num_threads(n_threads)
	for (long step = 0; step < n_steps; step++) {
		double (*from)[N] = plates[step % 2], (*to)[N] = plates[(step + 1) % 2];

#pragma omp for schedule(static)
		for (int i = 1; i < N - 1; i++)
			for (int j = 1; j < N - 1; j++)
				to[i][j] = 0.25 * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
	}
	return plates[n_steps % 2][N / 2][1];
}

static double plate_2(void)
{
	return plate(2, scaled(6000));
}

static double plate_4(void)
{
	return plate(4, scaled(6000));
}

/* A sparse matrix with rows of very different lengths, by dynamic chunks, and a norm. */
static double sparse(int n_threads, long n_rounds)
{
	enum { N = 4000, MOST = 40 };
	static int columns[N][MOST], lengths[N];
	static double x[N], y[N];
	double norm = 1;

	for (int i = 0; i < N; i++) {
		lengths[i] = 4 + (int)(mix((uint64_t)i) % (MOST - 4));
		for (int k = 0; k < lengths[i]; k++)
			columns[i][k] = (int)(mix((uint64_t)(i * MOST + k)) % N);
		x[i] = 1;
	}
#pragma omp parallel num_threads(n_threads)
	for (long round = 0; round < n_rounds; round++) {
#pragma omp for schedule(dynamic, 64)
		for (int i = 0; i < N; i++) {
			double sum = 0;

			for (int k = 0; k < lengths[i]; k++)
				sum += x[columns[i][k]];
			y[i] = sum / lengths[i];
		}
#pragma omp single
		norm = 0;
#pragma omp for reduction(+ : norm)
		for (int i = 0; i < N; i++)
			norm += y[i];
#pragma omp for
		for (int i = 0; i < N; i++)
			x[i] = y[i] * N / norm;
	}
	return x[0];
}

static double sparse_4(void)
{
	return sparse(4, scaled(2500));
}

/*
 * The regions of a hydrodynamics code on a small mesh: a step has several short regions, each with some loops and
 * barriers and a sum that each thread adds to.
 */
static double hydro(int n_threads, int n_cells, long n_steps)
{
	enum { MOST = 4096 };
	static double force[MOST], speed[MOST], place[MOST], energy[MOST], pressure[MOST], volume[MOST];
	double dt = 1e-3, fastest;

	for (int i = 0; i < n_cells; i++) {
		speed[i] = force[i] = 0;
		place[i] = i;
		volume[i] = 1;
		energy[i] = pressure[i] = i < 8 ? 2 : 1;
	}
	for (long step = 0; step < n_steps; step++) {
#pragma omp parallel num_threads(n_threads)
		{
#pragma omp for nowait
			for (int i = 0; i < n_cells; i++)
				energy[i] += 0.01 * pressure[i] * (1 - volume[i]) * dt;
#pragma omp for
			for (int i = 0; i < n_cells; i++)
				pressure[i] = 0.4 * energy[i] / volume[i];
#pragma omp for
			for (int i = 1; i < n_cells; i++)
				force[i] = pressure[i - 1] - pressure[i];
		}
#pragma omp parallel for num_threads(n_threads)
		for (int i = 0; i < n_cells; i++)
			speed[i] = 0.999 * speed[i] + force[i] * dt;
#pragma omp parallel num_threads(n_threads)
		{
#pragma omp for
			for (int i = 0; i < n_cells; i++)
				place[i] += speed[i] * dt;
#pragma omp for
			for (int i = 0; i < n_cells - 1; i++)
				volume[i] = place[i + 1] - place[i];
		}
		fastest = 0;
#pragma omp parallel num_threads(n_threads)
		{
			double mine = 0;

#pragma omp for nowait
			for (int i = 0; i < n_cells; i++)
				mine = speed[i] > mine ? speed[i] : mine;
#pragma omp critical
			fastest = mine > fastest ? mine : fastest;
#pragma omp barrier
#pragma omp for
			for (int i = 0; i < n_cells; i++)
				energy[i] *= 1 - 1e-6 * fastest;
		}
		dt = 1e-3 / (1 + fastest);
	}
	return energy[n_cells / 2] + place[4];
}

static double hydro_2(void)
{
	return hydro(2, 1000, scaled(10000));
}

static double hydro_4(void)
{
	return hydro(4, 1000, scaled(10000));
}

static double hydro_large_2(void)
{
	return hydro(2, 4000, scaled(4000));
}

static double hydro_large_4(void)
{
	return hydro(4, 4000, scaled(4000));
}

static const struct {
	const char *name;
	double (*run)(void);
} apps[] = {
	{"crowd_64", crowd_64}, {"crowd_256", crowd_256}, {"tree_2", tree_2},	{"producer_2", producer_2}, {"solver_2", solver_2},
	{"solver_4", solver_4}, {"plate_2", plate_2},	  {"plate_4", plate_4}, {"sparse_4", sparse_4},
	{"hydro_2", hydro_2}, {"hydro_4", hydro_4}, {"hydro_large_2", hydro_large_2}, {"hydro_large_4", hydro_large_4},
};

int main(int argc, char **argv)
{
	const char *only = "";
	int c;

	while ((c = getopt(argc, argv, "k:s:")) != -1) {
		if (c == 'k')
			only = optarg;
		else if (c == 's')
			scale = atof(optarg) / 100;
		else
			return 2;
	}
	for (size_t i = 0; i < sizeof(apps) / sizeof(*apps); i++) {
		if (!strstr(apps[i].name, only))
			continue;
		fflush(stdout);

		/*
		 * Each program runs in its own process: it is not affected by the one before, and a crash does not end
		 * the others.
		 */
		pid_t child = fork();
		if (child == 0) {
			double begin = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
			double sum = apps[i].run();

			printf("%s\t%.2f\t%.2f\t%.10g\n", apps[i].name, (seconds(CLOCK_MONOTONIC) - begin) * 1e3,
			       (seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu) * 1e3, sum);
			return 0;
		}
		int status;
		if (waitpid(child, &status, 0) != child || status)
			printf("%s\tcrash\n", apps[i].name);
	}
}
