/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A recorded profile as the formats need it: the tree of stacks of profile.get, checked. */
#ifndef OMPDD_CLI_RECORDED_H
#define OMPDD_CLI_RECORDED_H

#include <stdint.h>

#include "failure.h"
#include "text.h"

struct json_object;

/* Deeper stacks are cut at their outer end. */
#define RECORDED_MAX_DEPTH 4096

struct recorded_frame {
	const char *kind;		      /* "user", "state" and so on */
	const char *function, *file, *module; /* NULL: not known */
	int64_t line;			      /* 0: not known */
	char *name; /* for people; owned; never NULL, and one line without control characters */
};

struct recorded_node {
	int64_t parent; /* a smaller index; -1: outermost */
	size_t frame;
	int64_t self_us, samples;
};

struct recorded {
	struct json_object *result; /* borrowed: of profile.get */
	struct recorded_frame *frames;
	size_t n_frames;
	struct recorded_node *nodes;
	size_t n_nodes;
	int64_t total_us, samples, begun_us, elapsed_us, pid;
	double rate_hz;
	const char *program;
};

/* @result must outlive it, as must @program, a name for people. EXIT_CONNECT: that is no such result. */
struct failure *recorded_read(struct json_object *result, const char *program, struct recorded *ret);
void recorded_deinit(struct recorded *r);

/* The frames of node @i, itself first; their number. @ret has room for RECORDED_MAX_DEPTH. */
size_t recorded_stack(const struct recorded *r, size_t i, size_t *ret);

/* One format: appends the file's contents to @out. */
typedef struct failure *recorded_write(const struct recorded *r, struct text *out);
recorded_write folded_write, speedscope_write, pprof_write;

#endif
