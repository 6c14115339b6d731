/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Common parts of the test programs besides OpenMP: print JSON lines on stdout, stay in the
 * state under test, and never outlive the test that started the program. No OpenMP in here.
 */
#ifndef OMPDD_PROGRAMS_PARK_H
#define OMPDD_PROGRAMS_PARK_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Print {"pid":…,"lines":N}: the number of lines that follow before all threads are parked. Must
 * be called first. From then on the end of stdin (the test closes it, or has exited) terminates
 * the process by SIGIO. This needs no helper thread, which would be visible from outside.
 */
void park_begin(int lines);

/* Print one whole line, even if several threads print at the same time. */
void park_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Stay in pause(2) for ever. */
void park(void) __attribute__((noreturn));

/* Return the kernel's id of the calling thread. */
int park_tid(void);

/* Wait (in short sleeps) until *@flag is at least @value; for set-up, never for a state under test. */
void park_await(const int *flag, int value);

/* Wait until thread @tid of this process sleeps in system call @nr. */
void park_await_syscall(int tid, long nr);

#ifdef __cplusplus
}
#endif
#endif
