/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Assembler code that takes and releases locks, for tests of openmp/stacks/code/code_held. It is never executed. */
#ifndef OMPDD_SUPPORT_LOCKING_CODE_H
#define OMPDD_SUPPORT_LOCKING_CODE_H

#include <stdint.h>

#define LOCK_A 0x404000
#define LOCK_B 0x404008

/* Functions that the code calls: only their addresses matter. */
void take(void), give(void), begin(void), end(void), work(void), here(void), any(void), jumps(void), no_return(void);
void enter(void), leave(void);
__asm__(".text\n.globl take, give, begin, end, work, here, any, jumps, no_return, enter, leave\n"
	"enter: ret\nleave: ret\n"
	"take: ret\ngive: ret\nbegin: ret\nend: ret\nwork: ret\nhere: ret\nany: ret\njumps: ret\nno_return: ret\n");

/* CODE(name, lines): from name_start to name_end. */
#define CODE(name, lines)                                                                                              \
	extern const uint8_t name##_start[], name##_end[];                                                             \
	__asm__(".text\n.globl " #name "_start, " #name "_end\n" #name "_start:\n" lines "\n" #name "_end: nop\n")

#define SET_A	"mov $0x404000, %edi\ncall take\n"
#define SET_B	"mov $0x404008, %edi\ncall take\n"
#define UNSET_A "mov $0x404000, %edi\ncall give\n"
#define UNSET_B "mov $0x404008, %edi\ncall give\n"

CODE(straight, "sub $8, %rsp\n" SET_A "call here\n" UNSET_A "ret");
CODE(released, "sub $8, %rsp\n" SET_A UNSET_A "call here\nret");
CODE(not_yet, "sub $8, %rsp\ncall here\n" SET_A "ret");
CODE(both, SET_A SET_B "call here\nret");
CODE(one_left, SET_A SET_B UNSET_A "call here\nret");
CODE(one_way, "test %esi, %esi\nje 1f\n" SET_A "1: call here\nret");
CODE(both_ways, "test %esi, %esi\nje 1f\n" SET_A "jmp 2f\n1: " SET_A "2: call here\nret");
CODE(other_way_another, "test %esi, %esi\nje 1f\n" SET_A "jmp 2f\n1: " SET_B "2: call here\nret");
CODE(released_on_one_way, SET_A "test %esi, %esi\nje 1f\n" UNSET_A "1: call here\nret");
CODE(early_return, SET_A "test %esi, %esi\nje 1f\ncall here\n1: " UNSET_A "ret");
CODE(in_a_loop, "1: " SET_A "call here\n" UNSET_A "dec %ebx\njne 1b\nret");
CODE(before_a_loop, SET_A "1: call here\ndec %ebx\njne 1b\n" UNSET_A "ret");
/* In the second round the lock is not held any more. */
CODE(released_in_a_loop, SET_A "1: call here\n" UNSET_A "dec %ebx\njne 1b\nret");
CODE(taken_at_the_end_of_a_loop, "1: call here\n" SET_A "dec %ebx\njne 1b\nret");
CODE(saved_register, "push %rbx\nmov %rdi, %rbx\ncall take\ncall here\nmov %rbx, %rdi\ncall give\npop %rbx\nret");
CODE(lost_register, "call take\ncall here\nret");
CODE(offset_of_register, "lea 24(%rdi), %r12\nlea 8(%r12), %rdi\ncall take\nadd $16, %r12\ncall here\nret");
CODE(register_of_an_array, "1: mov %rbx, %rdi\ncall take\ncall here\nmov %rbx, %rdi\ncall give\nadd $4, %rbx\n"
			   "cmp %rbp, %rbx\njne 1b\nret");
/* All locks but the last are unknown by then; the last one is known. */
CODE(register_that_went_on, "1: mov %rbx, %rdi\ncall take\nadd $4, %rbx\ncmp %rbp, %rbx\njne 1b\ncall here\nret");
CODE(register_loaded_again, "1: mov (%r14), %rbx\nmov %rbx, %rdi\ncall take\ndec %ebp\njne 1b\ncall here\nret");
CODE(register_loaded_once_more,
     "1: mov (%r14), %rbx\nmov %rbx, %rdi\ncall take\nmov (%r14), %rbx\ndec %ebp\njne 1b\ncall here\nret");
CODE(other_register_given, "mov %rbx, %rdi\ncall take\nmov %rbp, %rdi\ncall give\ncall here\nret");
CODE(neighbour_given, "mov %rbx, %rdi\ncall take\nlea 4(%rbx), %rdi\ncall give\ncall here\nret");
CODE(unknown_given, SET_A "mov (%rbx), %rdi\ncall give\ncall here\nret");
CODE(other_number_given, SET_A UNSET_B "call here\nret");
CODE(chosen, "mov %rbx, %rdi\ntest %esi, %esi\ncmove %rbp, %rdi\ncall take\ncall here\nret");
CODE(one_of_two, "test %esi, %esi\nje 1f\nmov $0x404000, %ebx\nmov %rbx, %rdi\ncall take\njmp 2f\n"
		 "1: mov $0x404008, %ebx\nmov %rbx, %rdi\ncall take\n2: call here\nret");
CODE(one_of_two_kept_elsewhere, "test %esi, %esi\nje 1f\nmov $0x404000, %ebx\nmov %rbx, %rdi\ncall take\njmp 2f\n"
				"1: mov $0x404008, %ebx\nmov %rbx, %rdi\ncall take\nmov %rbp, %rbx\n2: call here\nret");
CODE(local_variable, "sub $40, %rsp\nlea 12(%rsp), %rdi\ncall take\ncall here\nadd $40, %rsp\nret");
CODE(of_the_frame, "push %rbp\nmov %rsp, %rbp\nsub $40, %rsp\nlea -20(%rbp), %rdi\ncall take\npush %rax\ncall here\n"
		   "leave\nret");
CODE(relative, "lea straight_start(%rip), %rdi\ncall take\ncall here\nret");
CODE(only_one, "call begin\ncall here\ncall end\nret");
CODE(only_one_ended, "call begin\ncall end\ncall here\nret");
CODE(jump_table, SET_A "jmp *(%rax, %rbx, 8)\ncall here\nret");
CODE(indirect_call, SET_A "call begin\ncall *%rax\ncall here\nret");
CODE(any_call, SET_A "call begin\ncall any\ncall here\nret");
CODE(returns_twice, SET_A "call jumps\ncall here\nret");
CODE(never_returns, "test %esi, %esi\nje 1f\n" SET_A "jmp 2f\n1: call no_return\n2: call here\nret");
CODE(work_between, SET_A "call work\ncall here\nret");
CODE(no_code, SET_A "call here\n.byte 0x06\n");
/* A foreign breakpoint hides the instruction below it. */
CODE(breakpoint, SET_A "int3\nnop\ncall here\nret");
CODE(callee_breakpoint, "int3\nret");
CODE(calls_breakpoint, SET_A "call begin\ncall callee_breakpoint_start\ncall here\nret");
CODE(tail_call, "test %esi, %esi\nje work\n" SET_A "call here\n" UNSET_A "jmp work");
/* A part of the function that is placed elsewhere returns with the lock released. */
CODE(elsewhere, UNSET_A "jmp back");
CODE(with_a_part, SET_A "test %esi, %esi\nje elsewhere_start\nback: call here\nret");

/* Functions that others call. */
CODE(callee_harmless, "push %rbx\ncall work\npop %rbx\nret");
CODE(callee_gives_a, "test %esi, %esi\nje 1f\n" UNSET_A "1: ret");
CODE(callee_gives_b, SET_B UNSET_B "ret");
CODE(callee_gives_argument, "call give\nret");
CODE(callee_ends, "call end\nret");
CODE(callee_ends_with_give, "mov $0x404000, %edi\njmp give");
CODE(callee_ends_on_one_way, "test %esi, %esi\nmov $0x404000, %edi\njne give\nret");
CODE(callee_ends_with_work, "jmp work");
CODE(callee_ends_with_another, "jmp callee_ends_with_give_start");
CODE(callee_deep, "call callee_gives_a_start\nret");
CODE(callee_itself, "call callee_itself_start\nret");
CODE(callee_jumps, "jmp *%rax");
CODE(callee_ends_with_any, "push %rbx\npop %rbx\njmp *%rax");
CODE(ends_with_any, "push %rbx\n" SET_A "call here\n" UNSET_A "pop %rbx\njmp *(%rdi)");
CODE(table_behind_a_pop, "push %rbx\n" SET_A "call here\npop %rbx\njmp *(%rax, %rbx, 8)");
CODE(calls_harmless, SET_A "call begin\ncall callee_harmless_start\ncall here\nret");
CODE(calls_gives_a, SET_A SET_B "call callee_gives_a_start\ncall here\nret");
CODE(calls_gives_b, SET_A "call callee_gives_b_start\ncall here\nret");
CODE(calls_gives_argument, SET_A "call callee_gives_argument_start\ncall here\nret");
CODE(calls_ends, SET_A "call begin\ncall callee_ends_start\ncall here\nret");
CODE(calls_ends_with_give, SET_A SET_B "call callee_ends_with_give_start\ncall here\nret");
CODE(calls_ends_on_one_way, SET_A SET_B "call callee_ends_on_one_way_start\ncall here\nret");
CODE(calls_ends_with_work, SET_A "call callee_ends_with_work_start\ncall here\nret");
CODE(calls_ends_with_another, SET_A "call callee_ends_with_another_start\ncall here\nret");
CODE(calls_deep, SET_A "call callee_deep_start\ncall here\nret");
CODE(calls_itself, SET_A "call callee_itself_start\ncall here\nret");
CODE(calls_ends_with_any, SET_A "call begin\ncall callee_ends_with_any_start\ncall here\nret");
CODE(calls_jumps, SET_A "call begin\ncall callee_jumps_start\ncall here\nret");
/* The pending call may be the one that released the lock. */
CODE(within_gives_a, SET_A "call callee_gives_a_start\nret");
CODE(within_harmless, SET_A "call callee_harmless_start\nret");
CODE(within_locks_again, SET_A "call callee_locks_again_start\n" UNSET_A "ret");
CODE(callee_locks_again, SET_A UNSET_A "ret");
CODE(callee_in_a_loop, "1: " SET_A "call work\n" UNSET_A "dec %ebx\njne 1b\nret");
CODE(landing_pad, SET_A "call here\nret\nlanding: jmp caught\nafter: " SET_A "caught: call here\nret");
extern const uint8_t landing[];
/* The compiler knew that the last call never returns; the bytes behind it are not code. */
CODE(last_call,
     "test %esi, %esi\nje 1f\n" SET_A "call here\n" UNSET_A "ret\n1: call work\nend_of_last_call: .byte 0x06");
extern const uint8_t end_of_last_call[];
/* The lock is the third argument. */
CODE(third_argument, "mov %rdx, %rbx\nmov $0x404000, %edi\nlea 4(%rbx), %rdx\ncall enter\ncall here\nmov %rbx, %rdx\n"
		     "call leave\nret");

#endif
