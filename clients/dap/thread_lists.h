/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Answers to `threads`: the native adapter's list, with OpenMP's names and in OpenMP's order. */
#ifndef OMPDD_DAP_THREAD_LISTS_H
#define OMPDD_DAP_THREAD_LISTS_H

#include "custom_events.h"
#include "native_stacks.h"

struct held_list;

struct thread_lists {
	struct dap_client *client;
	struct adapter *adapter;
	struct debuggee *target;
	struct thread_ids *ids;
	struct native_stacks *stacks;
	struct custom_events *custom;
	struct held_list *held;	 /* native answers that wait until the names are known */
	size_t n_missing;	 /* stacks requested for names */
	bool was_nameless;	 /* a list was sent without names */
	uint64_t repeated;	 /* the stop at which a list was too short, and requested again */
	int64_t last_request_ms; /* clock_now_ms() of the client's last request */
	uint64_t quiet_timer;	 /* 0, or names are requested when it expires, unless the client sends a request */
};

void thread_lists_request(struct thread_lists *t, struct json_object *request);

/* Note that the client has sent a request: its own requests come before those for names. */
void thread_lists_note_request(struct thread_lists *t);
/* Note that the process was sampled or ids are known: name the regions, then answer, or notify the client. */
void thread_lists_update(struct thread_lists *t);
/* Note that a stack has arrived. */
void thread_lists_stack_arrived(struct thread_lists *t);

/* Answer all lists that wait, at the end. */
void thread_lists_release(struct thread_lists *t);

#endif
