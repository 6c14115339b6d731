/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/proc/job.c: the environment that launchers create. */
#include "target/proc/job.h"

#include <string.h>

#include "check_main.h"

/* Including the NUL of each variable. */
#define PARSE(text, job) job_parse(text, sizeof(text) - 1, job)

START_TEST(test_no_job)
{
	struct job job;

	PARSE("HOME=/root\0PATH=/bin\0", &job);
	ck_assert_int_eq(job.rank, -1);
	ck_assert_int_eq(job.size, -1);
	ck_assert_ptr_null(job.rank_from);
	ck_assert_str_eq(job.slurm_job, "");
	ck_assert_str_eq(job.flux_job, "");
	ck_assert(!job_is(&job, ""));
	ck_assert(!job_is(&job, "."));
}
END_TEST

#define CASE(text, rank, size, from)                                                                                   \
	{                                                                                                              \
		text, sizeof(text) - 1, rank, size, from                                                               \
	}

static const struct {
	const char *text;
	size_t len;
	int64_t rank, size;
	const char *from;
} ranks[] = {
	CASE("OMPI_COMM_WORLD_RANK=3\0OMPI_COMM_WORLD_SIZE=16\0", 3, 16, "OMPI_COMM_WORLD_RANK"),
	CASE("PMI_RANK=0\0PMI_SIZE=1\0", 0, 1, "PMI_RANK"),
	CASE("MV2_COMM_WORLD_RANK=5\0MV2_COMM_WORLD_SIZE=6\0PMI_RANK=1\0", 5, 6, "MV2_COMM_WORLD_RANK"),
	CASE("PMIX_RANK=7\0PMIX_NAMESPACE=x\0", 7, -1, "PMIX_RANK"),
	CASE("PMIX_RANK=7\0SLURM_STEP_NUM_TASKS=8\0", 7, 8, "PMIX_RANK"),
	CASE("FLUX_TASK_RANK=1\0FLUX_JOB_SIZE=2\0", 1, 2, "FLUX_TASK_RANK"),
	CASE("SLURM_PROCID=4\0SLURM_STEP_ID=0\0SLURM_NTASKS=9\0", 4, 9, "SLURM_PROCID"),
	/* mpirun within a job of one task. */
	CASE("SLURM_PROCID=0\0SLURM_STEP_ID=0\0SLURM_NTASKS=1\0OMPI_COMM_WORLD_RANK=2\0OMPI_COMM_WORLD_SIZE=4\0", 2, 4,
	     "OMPI_COMM_WORLD_RANK"),
	/* A batch script is not a task of a step. */
	CASE("SLURM_PROCID=0\0SLURM_NTASKS=9\0SLURM_JOB_ID=1\0", -1, -1, NULL),
	/* Invalid values are ignored. */
	CASE("PMI_RANK=-1\0", -1, -1, NULL),
	CASE("PMI_RANK=\0", -1, -1, NULL),
	CASE("PMI_RANK=1x\0", -1, -1, NULL),
	CASE("PMI_RANK=99999999999\0", -1, -1, NULL),
	CASE("PMI_RANK=4294967296\0", -1, -1, NULL),
	CASE("PMI_RANK=5\0PMI_SIZE=5\0", 5, -1, "PMI_RANK"),
	CASE("PMI_RANKS=5\0PMI_RAN=3\0PMI_RANK\0=PMI_RANK=1\0", -1, -1, NULL),
	/* The first value counts, and a truncated variable is ignored. */
	CASE("PMI_RANK=1\0PMI_RANK=2\0", 1, -1, "PMI_RANK"),
	CASE("PMI_RANK=1", -1, -1, NULL),
};

START_TEST(test_rank)
{
	struct job job;

	job_parse(ranks[_i].text, ranks[_i].len, &job);
	ck_assert_int_eq(job.rank, ranks[_i].rank);
	ck_assert_int_eq(job.size, ranks[_i].size);
	ck_assert_pstr_eq(job.rank_from, ranks[_i].from);
}
END_TEST

START_TEST(test_places)
{
	struct job job;

	PARSE("SLURM_JOBID=77\0SLURM_STEPID=2\0SLURMD_NODENAME=n17\0SLURM_NODEID=1\0FLUX_JOB_ID=f2vBr\0"
	      "PMIX_NAMESPACE=slurm.pmix.77.2\0",
	      &job);
	ck_assert_str_eq(job.slurm_job, "77");
	ck_assert_str_eq(job.slurm_step, "2");
	ck_assert_str_eq(job.slurm_node, "n17");
	ck_assert_int_eq(job.slurm_node_number, 1);
	ck_assert_str_eq(job.flux_job, "f2vBr");
	ck_assert(job_is(&job, "77") && job_is(&job, "77.2") && job_is(&job, "f2vBr") &&
		  job_is(&job, "slurm.pmix.77.2"));
	ck_assert(!job_is(&job, "7") && !job_is(&job, "77.") && !job_is(&job, "77.1"));
}
END_TEST

START_TEST(test_texts_that_are_too_long_are_none)
{
	char text[JOB_MAX_TEXT + 32] = "SLURM_JOB_ID=";
	size_t n = strlen(text);
	struct job job;

	memset(text + n, 'x', JOB_MAX_TEXT - 1);
	job_parse(text, n + JOB_MAX_TEXT, &job);
	ck_assert_uint_eq(strlen(job.slurm_job), JOB_MAX_TEXT - 1);
	text[n + JOB_MAX_TEXT - 1] = 'x';
	job_parse(text, n + JOB_MAX_TEXT + 1, &job);
	ck_assert_str_eq(job.slurm_job, "");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("target/proc/job");
	TCase *t = tcase_create("job");

	tcase_add_test(t, test_no_job);
	tcase_add_loop_test(t, test_rank, 0, sizeof(ranks) / sizeof(ranks[0]));
	tcase_add_test(t, test_places);
	tcase_add_test(t, test_texts_that_are_too_long_are_none);
	suite_add_tcase(s, t);
	return check_main(s);
}
