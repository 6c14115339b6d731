/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs ompdctl-cluster, a Python program that reaches Slurm, ClusterShell and MPI's launchers. */
#include "cluster.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "connection.h"

static int is_option(const char *word, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(word, name, len) && (!word[len] || word[len] == '=');
}

int cluster_is_requested(int argc, char *const *argv)
{
	int is_job = 0;
	const struct command_row *command = NULL;

	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		if (!strcmp(argv[i], "-h") || is_option(argv[i], "--help") || !strcmp(argv[i], "-V"))
			return 0;
		is_job |= is_option(argv[i], "--job") || is_option(argv[i], "--nodes");
		if (!command && *argv[i] != '-')
			command = command_find(argv[i]);
	}
	return command &&
	       (command->groups & (GROUP_SUMMARY | GROUP_METRICS) || (is_job && command->groups & GROUP_JOB));
}

struct error *cluster_run(char **argv)
{
	char *program = spawn_beside_us("ompdctl-cluster"), *own = realpath("/proc/self/exe", NULL);

	/* ompdctl-cluster starts ompdctl on the nodes, and looks for ompdd beside it. */
	if (own)
		setenv("OMPDCTL", own, 1);
	free(own);
	if (program)
		execv(program, argv);
	free(program);
	return failure_create(ERR_CONNECT, "cannot_start", "install python3-ompdd",
			      "cannot start ompdctl-cluster, which examines jobs: %m");
}
