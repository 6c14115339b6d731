/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Threads wait for a reader-writer lock. argv[1]: "written": a thread that sleeps holds it for writing. "read": it holds
 * it for reading, and another waits to write. Otherwise a thread takes it for reading a second time while another waits
 * to write, and writers go first.
 */
#include "hang.h"
#include "hang_asleep.h"
#include <pthread.h>
#include <string.h>

static pthread_rwlock_t table;
static int taken, writer;

__attribute__((noinline)) static void hold(int is_writer)
{
	if (is_writer)
		pthread_rwlock_wrlock(&table);
	else
		pthread_rwlock_rdlock(&table);
	hang_come(&taken);
	for (;;)
		pause(); /* HERE */
}

__attribute__((noinline)) static void write_table(void)
{
	hang_await(&taken, 1);
	hang_tell(&writer);
	pthread_rwlock_wrlock(&table); /* HERE */
	pthread_rwlock_unlock(&table);
}

__attribute__((noinline)) static void read_twice(void)
{
	pthread_rwlock_rdlock(&table);
	hang_come(&taken);
	while (!__atomic_load_n(&writer, __ATOMIC_SEQ_CST))
		usleep(1000);
	hang_await_asleep(&writer);
	pthread_rwlock_rdlock(&table);
	pthread_rwlock_unlock(&table);
	pthread_rwlock_unlock(&table);
}

int main(int argc, char **argv)
{
	int is_written = argc > 1 && !strcmp(argv[1], "written"), is_read = argc > 1 && !strcmp(argv[1], "read");
	pthread_rwlockattr_t attributes;

	pthread_rwlockattr_init(&attributes);
	pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&table, &attributes);
#pragma omp parallel num_threads(4)
	{
		if (omp_get_thread_num() == 1) {
			if (is_written || is_read)
				hold(is_written);
			read_twice();
		}
		if (omp_get_thread_num() == 2)
			write_table();
	}
	return 0;
}
