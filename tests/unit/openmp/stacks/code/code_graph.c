/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/stacks/code/code_graph with the code of both processors. */
#include "openmp/stacks/code/code_graph.h"

#include <string.h>

#include "check_main.h"
#include "target/arch/arch.h"

#define START 0x1000

static const void *code;
static size_t code_size;

static size_t read_code(void *arg, uint64_t address, uint8_t *buf, size_t size)
{
	size_t offset = address - START, n = offset < code_size ? code_size - offset : 0;

	(void)arg;
	if (n > size)
		n = size;
	memcpy(buf, (const uint8_t *)code + offset, n);
	return n;
}

/* Return whether an edge leads from offset @from to offset @to. */
static bool has_edge(const struct code_graph *g, uint64_t from, uint64_t to)
{
	uint32_t one = code_graph_find(g, START + from), other = code_graph_find(g, START + to);

	ck_assert_uint_ne(one, CODE_GRAPH_NONE);
	ck_assert_uint_ne(other, CODE_GRAPH_NONE);
	for (uint32_t e = g->nodes[other].edges; e != CODE_GRAPH_NONE; e = g->edges[e].next) {
		if (g->edges[e].from == one)
			return true;
	}
	return false;
}

/* while (*n > 0) --*n; while (*n < 10) ++*n; */
static const uint32_t loops_aarch64[] = {
	0xb9400001, /* 00 ldr w1, [x0] */
	0x7100003f, /* 04 cmp w1, #0 */
	0x540000ad, /* 08 b.le 1c */
	0x51000421, /* 0c sub w1, w1, #1 */
	0xb9000001, /* 10 str w1, [x0] */
	0x7100003f, /* 14 cmp w1, #0 */
	0x54ffffac, /* 18 b.gt c */
	0x11000421, /* 1c add w1, w1, #1 */
	0xb9000001, /* 20 str w1, [x0] */
	0x7100243f, /* 24 cmp w1, #9 */
	0x54ffffad, /* 28 b.le 1c */
	0xd65f03c0, /* 2c ret */
};

static const uint8_t loops_x86_64[] = {
	0x8b, 0x07,	  /* 00 mov (%rdi), %eax */
	0x85, 0xc0,	  /* 02 test %eax, %eax */
	0x7e, 0x08,	  /* 04 jle e */
	0x83, 0xe8, 0x01, /* 06 sub $1, %eax */
	0x89, 0x07,	  /* 09 mov %eax, (%rdi) */
	0x7f, 0xf9,	  /* 0b jg 6 */
	0x90,		  /* 0d nop */
	0xc3,		  /* 0e ret */
};

static struct code_graph graph;

static void make_graph(const struct arch *processor, const void *bytes, size_t size)
{
	arch_use(processor);
	code = bytes;
	code_size = size;
	ck_assert(code_graph_make(&graph, read_code, NULL, START, START + size, NULL, 0));
}

START_TEST(test_loops_of_aarch64)
{
	make_graph(&arch_aarch64, loops_aarch64, sizeof(loops_aarch64));
	ck_assert(has_edge(&graph, 0x08, 0x1c));
	ck_assert(has_edge(&graph, 0x08, 0x0c));
	ck_assert(has_edge(&graph, 0x18, 0x0c));
	ck_assert(has_edge(&graph, 0x28, 0x1c));
	ck_assert(has_edge(&graph, 0x28, 0x2c));
	ck_assert(!has_edge(&graph, 0x28, 0x0c));
	code_graph_deinit(&graph);
}
END_TEST

START_TEST(test_loop_of_x86_64)
{
	make_graph(&arch_x86_64, loops_x86_64, sizeof(loops_x86_64));
	ck_assert(has_edge(&graph, 0x04, 0x0e));
	ck_assert(has_edge(&graph, 0x0b, 0x06));
	ck_assert(has_edge(&graph, 0x0b, 0x0d));
	ck_assert(!has_edge(&graph, 0x0b, 0x00));
	code_graph_deinit(&graph);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp/stacks/code/code_graph");
	TCase *tc = tcase_create("edges");

	tcase_add_test(tc, test_loops_of_aarch64);
	tcase_add_test(tc, test_loop_of_x86_64);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
