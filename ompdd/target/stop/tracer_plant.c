/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The planted breakpoints of a process and their users. Users of all hits of an address are counted here, users with
 * filters by the tracer.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/vector.h"
#include "target/stop/tracer_call.h"

/* The longest wait for memory that must be fetched, and the interval of the retries. */
#define LATE_MS	      3000
#define LATE_AGAIN_US 2000

static struct tracer_planted *find_planted(struct tracer *t, uint64_t address)
{
	for (size_t i = 0; i < t->n_planted; i++) {
		if (t->planted[i].address == address)
			return &t->planted[i];
	}
	return NULL;
}

/*
 * Send the request until the memory is available. The tracer does not wait for memory, so that it can end a stop at any
 * time.
 */
static struct error *request_place(struct tracer *t, const struct tracer_request *r, struct tracer_message *ret)
{
	int64_t end_us = clock_now_us() + LATE_MS * 1000;
	struct error *err;

	for (;;) {
		struct tracer_request again = *r;

		err = tracer_call(t, &again, ret);
		if (err || ret->error != EAGAIN || clock_now_us() > end_us)
			return err;
		usleep(LATE_AGAIN_US);
	}
}

static struct error *explain_refusal(uint64_t address, int errnum)
{
	const char *why = errnum == EEXIST   ? "a breakpoint instruction is already there"
			  : errnum == ENOSPC ? "there are too many breakpoints"
			  : errnum == EAGAIN ? "its memory cannot be read in time"
			  : errnum == EINVAL ? "no instruction starts there"
					     : "its memory cannot be changed";

	return error_detail(error_create(ERR_BREAKPOINT_IMPOSSIBLE, "cannot set a breakpoint at 0x%llx: %s",
					 (unsigned long long)address, why),
			    "address", "0x%llx", (unsigned long long)address);
}

/* *@ret: the planted entry; valid until the next change. */
static struct error *plant_instruction(struct tracer *t, struct tracer_request *r, struct tracer_planted **ret)
{
	struct tracer_message m;

	if (!VECTOR_GROW(t->planted, t->n_planted, t->cap_planted))
		return &error_nomem;
	struct error *err = request_place(t, r, &m);
	if (err)
		return err;
	if (m.error)
		return explain_refusal(r->address, m.error);
	*ret = find_planted(t, r->address);
	if (!*ret) {
		*ret = &t->planted[t->n_planted++];
		**ret = (struct tracer_planted){
			.address = r->address,
			.len = r->op == TRACER_PLANT && r->value ? 1 : arch->breakpoint_len,
		};
		memcpy((*ret)->code, &m.value, sizeof((*ret)->code));
	}
	return NULL;
}

struct error *tracer_plant(struct tracer *t, uint64_t address)
{
	return tracer_plant_byte(t, address, 0);
}

struct error *tracer_plant_byte(struct tracer *t, uint64_t address, unsigned char byte)
{
	struct tracer_request r = {.op = TRACER_PLANT, .address = address, .value = byte};
	struct tracer_planted *at = find_planted(t, address);
	struct error *err = at && at->users ? NULL : plant_instruction(t, &r, &at);

	if (!err)
		at->users++;
	return err;
}

struct error *tracer_plant_if(struct tracer *t, uint64_t address, const struct target_filter *filter)
{
	struct tracer_request r = {.op = TRACER_PLANT_IF, .address = address, .filter = *filter};
	struct tracer_planted *at = find_planted(t, address);

	if (at && at->n_filters == FILTERS_MAX)
		return error_hint(
			error_create(ERR_LIMIT_EXCEEDED,
				     "one place can have %d breakpoints with conditions or counts, and 0x%llx "
				     "has them already",
				     FILTERS_MAX, (unsigned long long)address),
			"clear one of them first (breakpoint.clear), or set one without conditions and "
			"counts");
	struct error *err = plant_instruction(t, &r, &at);
	if (!err)
		at->n_filters++;
	return err;
}

/* Remove one user, and report that to the tracer. */
static void lift_instruction(struct tracer *t, struct tracer_request *r)
{
	struct tracer_message m;
	struct error *err = tracer_call(t, r, &m);

	error_destroy(err);
	struct tracer_planted *at = find_planted(t, r->address);
	if (at && !at->users && !at->n_filters)
		*at = t->planted[--t->n_planted];
}

void tracer_lift(struct tracer *t, uint64_t address)
{
	struct tracer_planted *at = find_planted(t, address);

	if (at && at->users && !--at->users)
		lift_instruction(t, &(struct tracer_request){.op = TRACER_LIFT, .address = address});
}

void tracer_lift_if(struct tracer *t, uint64_t address, uint32_t group)
{
	struct tracer_planted *at = find_planted(t, address);

	if (!at || !at->n_filters)
		return;
	at->n_filters--;
	lift_instruction(t, &(struct tracer_request){.op = TRACER_LIFT_IF, .address = address, .value = group});
}

size_t tracer_n_planted(const struct tracer *t)
{
	return t->n_planted + (t->word != 0);
}

struct error *tracer_set_word(struct tracer *t, uint64_t address, uint64_t value)
{
	struct tracer_request r = {.op = TRACER_WORD, .address = address, .value = value};
	struct tracer_message m;
	struct error *err = request_place(t, &r, &m);

	if (err)
		return err;
	if (m.error)
		return error_detail(error_create(ERR_BREAKPOINT_IMPOSSIBLE, "cannot set the word at 0x%llx%s",
						 (unsigned long long)address,
						 m.error == EEXIST ? ": another program uses it" : ""),
				    "address", "0x%llx", (unsigned long long)address);
	t->word = value ? address : 0;
	return NULL;
}

uint64_t tracer_passed(struct tracer *t, uint32_t group)
{
	struct tracer_request r = {.op = TRACER_PASSED, .value = group};
	struct tracer_message m = {0};

	error_destroy(tracer_call(t, &r, &m));
	return m.value;
}

bool tracer_answer(struct tracer *t, pid_t tid, bool counts)
{
	struct tracer_request r = {.op = TRACER_VERDICT, .tid = tid, .value = counts};
	struct tracer_message m = {.error = EPIPE};

	error_destroy(tracer_call(t, &r, &m));
	return !m.error;
}

void tracer_hide(const struct tracer *t, uint64_t addr, void *buf, size_t len)
{
	for (size_t i = 0; i < t->n_planted; i++) {
		for (unsigned k = 0; k < t->planted[i].len; k++) {
			if (t->planted[i].address + k - addr < len)
				((unsigned char *)buf)[t->planted[i].address + k - addr] = t->planted[i].code[k];
		}
	}
}
