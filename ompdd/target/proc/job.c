/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The environment variables in which launchers store a process's place in a job. */
#include "target/proc/job.h"

#include <stdio.h>
#include <string.h>

enum variable {
	PMIX_RANK,
	PMIX_NAMESPACE,
	OMPI_RANK,
	OMPI_SIZE,
	PMI_RANK,
	PMI_SIZE,
	MV2_RANK,
	MV2_SIZE,
	FLUX_TASK_RANK,
	FLUX_JOB_SIZE,
	FLUX_JOB_ID,
	SLURM_PROCID,
	SLURM_STEP_NUM_TASKS,
	SLURM_NTASKS,
	SLURM_JOB_ID,
	SLURM_JOBID,
	SLURM_STEP_ID,
	SLURM_STEPID,
	SLURMD_NODENAME,
	SLURM_NODEID,
	N_VARIABLES,
};

static const char *const names[N_VARIABLES] = {
	[PMIX_RANK] = "PMIX_RANK",
	[PMIX_NAMESPACE] = "PMIX_NAMESPACE",
	[OMPI_RANK] = "OMPI_COMM_WORLD_RANK",
	[OMPI_SIZE] = "OMPI_COMM_WORLD_SIZE",
	[PMI_RANK] = "PMI_RANK",
	[PMI_SIZE] = "PMI_SIZE",
	[MV2_RANK] = "MV2_COMM_WORLD_RANK",
	[MV2_SIZE] = "MV2_COMM_WORLD_SIZE",
	[FLUX_TASK_RANK] = "FLUX_TASK_RANK",
	[FLUX_JOB_SIZE] = "FLUX_JOB_SIZE",
	[FLUX_JOB_ID] = "FLUX_JOB_ID",
	[SLURM_PROCID] = "SLURM_PROCID",
	[SLURM_STEP_NUM_TASKS] = "SLURM_STEP_NUM_TASKS",
	[SLURM_NTASKS] = "SLURM_NTASKS",
	[SLURM_JOB_ID] = "SLURM_JOB_ID",
	[SLURM_JOBID] = "SLURM_JOBID",
	[SLURM_STEP_ID] = "SLURM_STEP_ID",
	[SLURM_STEPID] = "SLURM_STEPID",
	[SLURMD_NODENAME] = "SLURMD_NODENAME",
	[SLURM_NODEID] = "SLURM_NODEID",
};

/*
 * The sources of a rank, the most reliable first: a launcher that another launcher started passes that one's variables
 * on.
 */
static const struct {
	enum variable rank, sizes[2];
} tellers[] = {
	{OMPI_RANK, {OMPI_SIZE, OMPI_SIZE}},
	{MV2_RANK, {MV2_SIZE, MV2_SIZE}},
	/* PMIx has no variable for the size; these come from the same launch, if set. */
	{PMIX_RANK, {SLURM_STEP_NUM_TASKS, FLUX_JOB_SIZE}},
	{PMI_RANK, {PMI_SIZE, PMI_SIZE}},
	{FLUX_TASK_RANK, {FLUX_JOB_SIZE, FLUX_JOB_SIZE}},
	{SLURM_PROCID, {SLURM_STEP_NUM_TASKS, SLURM_NTASKS}},
};

struct value {
	const char *text; /* not terminated; NULL: not set */
	size_t len;
};

/* Return -1 for an invalid rank. */
static int64_t parse_number(const struct value *v)
{
	int64_t n = 0;

	if (!v->text || v->len < 1 || v->len > 10)
		return -1;
	for (size_t i = 0; i < v->len; i++) {
		if (v->text[i] < '0' || v->text[i] > '9')
			return -1;
		n = n * 10 + (v->text[i] - '0');
	}
	return n <= INT32_MAX ? n : -1;
}

static void copy_text(const struct value *v, char ret[JOB_MAX_TEXT])
{
	if (!v->text || v->len >= JOB_MAX_TEXT)
		return;
	memcpy(ret, v->text, v->len);
	ret[v->len] = '\0';
}

static void copy_either(const struct value *values, enum variable first, enum variable second, char ret[JOB_MAX_TEXT])
{
	copy_text(&values[first], ret);
	if (!*ret)
		copy_text(&values[second], ret);
}

/* The first entry of a name counts, as for getenv(). */
static void collect_values(const char *environment, size_t len, struct value values[N_VARIABLES])
{
	const char *end = environment + len;

	for (const char *at = environment; at < end;) {
		const char *stop = memchr(at, '\0', (size_t)(end - at));

		if (!stop)
			return; /* cut off: the rest of the entry is unknown */
		/* Few of the possible first letters are relevant. */
		for (int i = 0; i < N_VARIABLES && strchr("FMOPS", *at); i++) {
			size_t n = strlen(names[i]);

			if (values[i].text || (size_t)(stop - at) <= n || at[n] != '=' || memcmp(at, names[i], n) != 0)
				continue;
			values[i] = (struct value){at + n + 1, (size_t)(stop - at) - n - 1};
			break;
		}
		at = stop + 1;
	}
}

static void find_rank(const struct value values[N_VARIABLES], struct job *job)
{
	for (size_t i = 0; i < sizeof(tellers) / sizeof(tellers[0]); i++) {
		int64_t rank = parse_number(&values[tellers[i].rank]);

		/* A batch script has this variable too, but is not a task of a step. */
		if (tellers[i].rank == SLURM_PROCID && !*job->slurm_step)
			continue;
		if (rank < 0)
			continue;
		job->rank = rank;
		job->rank_from = names[tellers[i].rank];
		job->size = parse_number(&values[tellers[i].sizes[0]]);
		if (job->size <= rank)
			job->size = parse_number(&values[tellers[i].sizes[1]]);
		if (job->size <= rank)
			job->size = -1;
		return;
	}
}

void job_parse(const char *environment, size_t len, struct job *ret)
{
	struct value values[N_VARIABLES] = {{0}};
	struct job job = {.rank = -1, .size = -1};

	collect_values(environment, len, values);
	copy_text(&values[PMIX_NAMESPACE], job.name_space);
	copy_either(values, SLURM_JOB_ID, SLURM_JOBID, job.slurm_job);
	copy_either(values, SLURM_STEP_ID, SLURM_STEPID, job.slurm_step);
	copy_text(&values[SLURMD_NODENAME], job.slurm_node);
	job.slurm_node_number = parse_number(&values[SLURM_NODEID]);
	copy_text(&values[FLUX_JOB_ID], job.flux_job);
	find_rank(values, &job);
	*ret = job;
}

bool job_is(const struct job *job, const char *id)
{
	char step[2 * JOB_MAX_TEXT];

	if (!*id)
		return false;
	snprintf(step, sizeof(step), "%s.%s", job->slurm_job, job->slurm_step);
	return !strcmp(id, job->slurm_job) || !strcmp(id, job->flux_job) || !strcmp(id, job->name_space) ||
	       (*job->slurm_job && *job->slurm_step && !strcmp(id, step));
}
