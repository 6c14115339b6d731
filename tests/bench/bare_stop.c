/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * bare_stop PID ROUNDS: the least that stopping every thread of a process costs: SEIZE, INTERRUPT, wait and DETACH,
 * without other work. Prints three times per round, in microseconds: the total, from the first INTERRUPT to the last
 * DETACH, and from the first INTERRUPT to the last wait.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#define MAX_THREADS 65536

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static int list_threads(const char *path, pid_t *tids)
{
	DIR *dir = opendir(path);
	int n = 0;

	if (!dir)
		return 0;
	for (struct dirent *entry; (entry = readdir(dir)) && n < MAX_THREADS;)
		if (entry->d_name[0] != '.')
			tids[n++] = (pid_t)strtol(entry->d_name, NULL, 10);
	closedir(dir);
	return n;
}

int main(int argc, char **argv)
{
	static pid_t tids[MAX_THREADS];
	char path[64];

	if (argc != 3)
		return 2;
	snprintf(path, sizeof(path), "/proc/%s/task", argv[1]);
	for (int rounds = atoi(argv[2]); rounds > 0; rounds--) {
		int n = list_threads(path, tids);
		double begin = now_us();

		for (int i = 0; i < n; i++)
			if (ptrace(PTRACE_SEIZE, tids[i], 0, 0))
				return 1;
		double interrupt = now_us();
		for (int i = 0; i < n; i++)
			ptrace(PTRACE_INTERRUPT, tids[i], 0, 0);
		for (int i = 0; i < n; i++)
			waitpid(tids[i], NULL, __WALL);
		double stand = now_us();
		for (int i = 0; i < n; i++)
			ptrace(PTRACE_DETACH, tids[i], 0, 0);
		double end = now_us();
		printf("%.1f %.1f %.1f\n", end - begin, end - interrupt, stand - interrupt);
	}
	return 0;
}
