/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* MPI and OpenMP: thread 2 of the rank that is named never comes to the barrier of its team; all others go on to MPI's. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void solve(int is_stuck)
{
	while (is_stuck)
		pause();
}

int main(int argc, char **argv)
{
	int rank, stuck = argc > 1 ? atoi(argv[1]) : -1;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma omp parallel num_threads(4)
	{
		solve(rank == stuck && omp_get_thread_num() == 2);
#pragma omp barrier
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
