/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What every test program does besides its OpenMP: say JSON lines on stdout, stay in the
 * state that is to be seen, and never outlive the test that started it. No OpenMP in here.
 */
#ifndef OMPDD_PROGRAMS_PARK_H
#define OMPDD_PROGRAMS_PARK_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * To be called first. Says {"pid":…,"lines":N}: how many lines follow before everything stands.
 * From here on the end of stdin (the test closes it, or is gone) terminates the process: by SIGIO,
 * so that no helper thread is needed that would be seen from outside.
 */
void park_begin(int lines);

/* Say one line, whole, whoever else speaks at the same time. */
void park_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Stay in pause(2) for ever. */
void park(void) __attribute__((noreturn));

/* Kernel's id of the calling thread. */
int park_tid(void);

/* Wait (in short sleeps) until *@flag is at least @value; for set-up, never for a state to be seen. */
void park_await(const int *flag, int value);

/* Wait until thread @tid of this process sleeps in system call @nr. */
void park_await_syscall(int tid, long nr);

#ifdef __cplusplus
}
#endif
#endif
