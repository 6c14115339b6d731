/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the environment of a process says of the parallel job that it is part of: its rank, as MPI libraries and
 * launchers tell it, and where Slurm or Flux has put it. The process may have written anything there.
 */
#ifndef OMPDD_TARGET_JOB_H
#define OMPDD_TARGET_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longer values are none. */
#define JOB_MAX_TEXT 128
/* Of /proc/PID/environ; the kernel passes no more to a program than three quarters of 8 MiB. */
#define JOB_MAX_ENVIRON (8u << 20)

/* Texts are "" and numbers -1 where nothing, or no such value, is said; texts may be any bytes. */
struct job {
	int64_t rank;
	int64_t size;		       /* of the ranks' world */
	const char *rank_from;	       /* the variable; a literal; NULL without a rank */
	char name_space[JOB_MAX_TEXT]; /* PMIx's name of the job */
	char slurm_job[JOB_MAX_TEXT];
	char slurm_step[JOB_MAX_TEXT];
	char slurm_node[JOB_MAX_TEXT];
	int64_t slurm_node_number; /* in the job, from 0 */
	char flux_job[JOB_MAX_TEXT];
};

/* Parse the @len bytes of an environment, NAME=VALUE ended by NUL each. */
void job_parse(const char *environment, size_t len, struct job *ret);

/*
 * Whether @id means the job: its id at Slurm ("1234", with the step "1234.0"), at Flux, or PMIx's name of it.
 */
bool job_is(const struct job *job, const char *id);

#endif
