/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of registers that another debugger provides. The test is that debugger. */
#include "target/process/reported_registers.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check_main.h"
#include "child.h"
#include "target/arch/arch.h"
#include "target/arch/registers.h"

static pid_t pid;
static int taskfd = -1;
static struct reported_registers reported;

static void interrupt(void)
{
	ck_assert_int_eq(ptrace(PTRACE_INTERRUPT, pid, 0, 0), 0);
	ck_assert_int_eq(waitpid(pid, NULL, __WALL), pid);
}

static void setup(void)
{
	char path[64];

	pid = child_start(child_sleeper);
	child_wait_ready(1);
	ck_assert(child_wait_state(pid, 'S'));
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	taskfd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(taskfd, 0);
	ck_assert_int_eq(ptrace(PTRACE_SEIZE, pid, 0, 0), 0);
	interrupt();
}

static void teardown(void)
{
	reported_registers_deinit(&reported);
	close(taskfd);
	child_end(pid);
}

static struct target_registers registers_now(void)
{
	struct arch_registers raw;
	struct target_registers ret = {0};

	ck_assert(arch_host.read_registers(pid, &raw));
	registers_to_target(&raw, &ret);
	return ret;
}

static bool report(const struct target_registers *registers)
{
	bool taken;

	ck_assert_ptr_null(reported_registers_set(&reported, taskfd, pid, registers, &taken));
	return taken;
}

static bool holds(const struct target_registers *registers)
{
	struct target_registers got = {0};

	reported_registers_get(&reported, taskfd, pid, &got);
	ck_assert(!got.known || !memcmp(&got, registers, sizeof(got)));
	return got.known != 0;
}

START_TEST(test_holds_while_it_stands)
{
	struct target_registers registers = registers_now();

	ck_assert(!holds(&registers));
	ck_assert(report(&registers));
	ck_assert(holds(&registers));
	ck_assert(report(&registers));
	ck_assert_uint_eq(reported.n, 1);
	ck_assert(holds(&registers));
}
END_TEST

/* It returns to the place where it was stopped: the same program counter and stack pointer prove nothing. */
START_TEST(test_ends_when_it_ran)
{
	struct target_registers registers = registers_now();

	ck_assert(report(&registers));
	ck_assert_int_eq(ptrace(PTRACE_CONT, pid, 0, 0), 0);
	ck_assert(!holds(&registers));
	ck_assert(child_wait_state(pid, 'S'));
	ck_assert(!holds(&registers));
	interrupt();
	ck_assert(!holds(&registers));
	ck_assert(report(&registers));
	ck_assert(holds(&registers));
}
END_TEST

START_TEST(test_not_what_the_kernel_says)
{
	struct target_registers registers = registers_now(), other = registers;
	bool taken;

	other.value[TARGET_REGISTER_PC]++;
	ck_assert(!report(&other));
	other = registers;
	other.value[TARGET_REGISTER_SP] -= 8;
	ck_assert(!report(&other));
	ck_assert(!holds(&other));
	ck_assert_ptr_null(reported_registers_set(&reported, taskfd, 1, &registers, &taken));
	ck_assert(!taken);
	ck_assert_uint_eq(reported.n, 0);
}
END_TEST

START_TEST(test_nobody_holds_it)
{
	struct target_registers registers = registers_now();

	ck_assert(report(&registers));
	ck_assert_int_eq(ptrace(PTRACE_DETACH, pid, 0, 0), 0);
	ck_assert(child_wait_state(pid, 'S'));
	ck_assert(!holds(&registers));
	ck_assert(!report(&registers));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target_told");
	TCase *tcase = tcase_create("reported_registers");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, test_holds_while_it_stands);
	tcase_add_test(tcase, test_ends_when_it_ran);
	tcase_add_test(tcase, test_not_what_the_kernel_says);
	tcase_add_test(tcase, test_nobody_holds_it);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
