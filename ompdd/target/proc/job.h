/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reads the parallel job of a process from its environment: its rank, as set by MPI libraries and launchers, and its
 * place in a Slurm or Flux job. The process may have written any text there.
 */
#ifndef OMPDD_TARGET_JOB_H
#define OMPDD_TARGET_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longer values are ignored. */
#define JOB_MAX_TEXT 128
/* Limit for /proc/PID/environ; the kernel passes a program at most three quarters of 8 MiB. */
#define JOB_MAX_ENVIRON (8u << 20)

/* Missing or invalid texts are "", numbers -1. Texts may contain any bytes. */
struct job {
	int64_t rank;
	int64_t size;		       /* of the ranks' world */
	const char *rank_from;	       /* the variable's name; a literal; NULL without a rank */
	char name_space[JOB_MAX_TEXT]; /* PMIx's name of the job */
	char slurm_job[JOB_MAX_TEXT];
	char slurm_step[JOB_MAX_TEXT];
	char slurm_node[JOB_MAX_TEXT];
	int64_t slurm_node_number; /* in the job, from 0 */
	char flux_job[JOB_MAX_TEXT];
};

/* Parse the @len bytes of an environment: NAME=VALUE entries, each terminated by NUL. */
void job_parse(const char *environment, size_t len, struct job *ret);

/*
 * Return whether @id identifies the job: its Slurm id ("1234", with the step "1234.0"), its Flux id, or its PMIx name.
 */
bool job_is(const struct job *job, const char *id);

#endif
