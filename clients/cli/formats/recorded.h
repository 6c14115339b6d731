/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A recorded profile as the formats need it: the checked tree of stacks of profile.get. */
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
	char *name; /* name for a reader, one line without control characters; owned; never NULL */
};

struct recorded_node {
	int64_t parent; /* a smaller index; -1: outermost */
	size_t frame;
	int64_t self_us, samples;
};

struct recorded {
	struct json_object *result; /* result of profile.get; borrowed */
	struct recorded_frame *frames;
	size_t n_frames;
	struct recorded_node *nodes;
	size_t n_nodes;
	int64_t total_us, samples, begun_us, elapsed_us, pid;
	double rate_hz;
	const char *program;
};

/* Parse @result. @result and @program, the name of the program, must outlive @ret. Fails with ERR_CONNECT if
 * @result is not a valid profile. */
struct error *recorded_read(struct json_object *result, const char *program, struct recorded *ret);
/* Return the profile of @result without its stacks. It needs no recorded_deinit(). */
struct recorded recorded_head(struct json_object *result, const char *program);
void recorded_deinit(struct recorded *r);

/* Compute the time from the first start to the last end of @n profiles, at least one, in microseconds since 1970 and
 * in microseconds. Fails with ERR_CONNECT if a time is negative or too large. */
struct error *recorded_span(const struct recorded *parts, size_t n, int64_t *begun_us_ret, int64_t *elapsed_us_ret);

/*
 * Merge the @n profiles of @parts, at least one, below a frame "PROGRAM (pid PID)" for each. @parts must outlive @ret,
 * which has the program, id and result of the first. Fails with ERR_CONNECT if their times are too large.
 */
struct error *recorded_merge(const struct recorded *parts, size_t n, struct recorded *ret);

/* Store the frames of node @i in @ret, the node itself first. Returns their number. @ret has room for
 * RECORDED_MAX_DEPTH frames. */
size_t recorded_stack(const struct recorded *r, size_t i, size_t *ret);

/* A format: appends the file's contents to @out. */
typedef struct error *recorded_write(const struct recorded *r, struct buf *out);
recorded_write folded_write, speedscope_write, pprof_write, svg_write, html_write;

#endif
