# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Routines of locks, by their names of today and of old programs, compared with the system's libgomp."""
from support import run_on_both

LOCKS = r"""
#include <omp.h>
#include <stdio.h>

int main(void)
{
	omp_lock_t lock;
	omp_nest_lock_t nest;
	long n = 0, m = 0;

	omp_init_lock(&lock);
	omp_init_nest_lock(&nest);
	printf("%d %d\n", omp_test_lock(&lock), omp_test_lock(&lock));
	omp_unset_lock(&lock);
	printf("%d %d\n", omp_test_nest_lock(&nest), omp_test_nest_lock(&nest));
	#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 1)
		printf("%d\n", omp_test_nest_lock(&nest));
	/* It is the task's: another one of the same thread has to wait. */
	#pragma omp task if(0)
	printf("%d\n", omp_test_nest_lock(&nest));
	omp_unset_nest_lock(&nest);
	omp_unset_nest_lock(&nest);
	#pragma omp parallel num_threads(4)
	for (int i = 0; i < 20000; i++) {
		omp_set_lock(&lock);
		n++;
		omp_unset_lock(&lock);
		omp_set_nest_lock(&nest);
		omp_set_nest_lock(&nest);
		m++;
		omp_unset_nest_lock(&nest);
		omp_unset_nest_lock(&nest);
	}
	printf("%ld %ld\n", n, m);
	omp_destroy_lock(&lock);
	omp_destroy_nest_lock(&nest);
	return 0;
}
"""

# The symbols of gcc 4.2; the type in the new header is larger than in the old.
OLD_LOCKS = r"""
#include <stdio.h>
#define OLD(name) __asm__(".symver old_" #name ", " #name "@OMP_1.0")
typedef struct { int owner, count; } old_nest;
extern void old_omp_init_nest_lock(old_nest *), old_omp_set_nest_lock(old_nest *), old_omp_unset_nest_lock(old_nest *);
extern void old_omp_destroy_nest_lock(old_nest *);
extern int old_omp_test_nest_lock(old_nest *);
extern void old_omp_init_lock(int *), old_omp_set_lock(int *), old_omp_unset_lock(int *);
extern int old_omp_test_lock(int *);
OLD(omp_init_nest_lock); OLD(omp_set_nest_lock); OLD(omp_unset_nest_lock); OLD(omp_destroy_nest_lock);
OLD(omp_test_nest_lock); OLD(omp_init_lock); OLD(omp_set_lock); OLD(omp_unset_lock); OLD(omp_test_lock);
extern int omp_get_thread_num(void);

int main(void)
{
	struct { int before; old_nest nest; int after; } s = {0x1234, {1, 1}, 0x5678};
	int lock;
	long n = 0, m = 0;

	old_omp_init_nest_lock(&s.nest);
	old_omp_init_lock(&lock);
	printf("%d %d\n", old_omp_test_nest_lock(&s.nest), old_omp_test_nest_lock(&s.nest));
	/* It is the thread's: another task of it may have it again. */
	#pragma omp task if(0)
	printf("%d\n", old_omp_test_nest_lock(&s.nest));
	#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 1)
		printf("%d\n", old_omp_test_nest_lock(&s.nest));
	for (int i = 0; i < 3; i++)
		old_omp_unset_nest_lock(&s.nest);
	#pragma omp parallel num_threads(4)
	for (int i = 0; i < 20000; i++) {
		old_omp_set_nest_lock(&s.nest);
		old_omp_set_nest_lock(&s.nest);
		n++;
		old_omp_unset_nest_lock(&s.nest);
		old_omp_unset_nest_lock(&s.nest);
		old_omp_set_lock(&lock);
		m++;
		old_omp_unset_lock(&lock);
	}
	printf("%ld %ld %x %x %d\n", n, m, s.before, s.after, s.nest.count);
	old_omp_destroy_nest_lock(&s.nest);
	return 0;
}
"""


def test_locks(compiled):
    ours, libgomps = run_on_both(compiled(LOCKS, "locks"))
    assert ours == libgomps
    assert ours[1].endswith("80000 80000\n")


def test_locks_of_old_programs(compiled):
    ours, libgomps = run_on_both(compiled(OLD_LOCKS, "old_locks"))
    assert ours == libgomps
    assert ours[1].endswith("80000 80000 1234 5678 0\n")
