/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * who_holds LIBOMPD PID LOOKS [ADDRESS BYTES]: print the answers of openmp/model/wait/holder about a process. Each look
 * stops the process and prints one line of JSON, with the memory at ADDRESS at that moment. Replaces the worker as the
 * caller.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "openmp/model/handle/handles.h"
#include "openmp/model/wait/holder.h"
#include "openmp/model/state/infer.h"
#include "openmp/model/model.h"
#include "openmp/model/walk/walk.h"
#include "openmp/plugin/plugin.h"
#include "openmp/stacks/stacks.h"
#include "target/arch/syscalls.h"
#include "target/target.h"

#define MAX_STOP_MS 60000
#define MAX_MEMORY  65536

struct look {
	struct target *t;
	struct model *m;
	struct handles *handles;
	uint64_t address;
	size_t n_memory;
	unsigned char memory[MAX_MEMORY];
	uint64_t epoch;
};

static void check(struct error *err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "%s: %s\n", what, err->message);
	exit(1);
}

static void print_holder(const struct snapshot *s, const struct holder *h, bool is_first)
{
	const char *call = h->doing == HOLDER_SLEEPS ? syscall_name(h->call) : NULL;

	printf("%s{\"tid\":%d,\"thread\":%d,\"task\":%d,\"source\":\"%s\",\"doing\":\"%s\",\"call\":\"%s\","
	       "\"predecessors\":%u,\"evidence\":\"%s\"}",
	       is_first ? "" : ",", (int)h->tid, h->thread == SNAPSHOT_NONE ? 0 : (int)s->threads[h->thread].tid,
	       (int)h->task, holder_source_name(h->source), holder_doing_name(h->doing), call ? call : "",
	       h->n_predecessors, h->evidence ? h->evidence : "");
}

static void print_wait(const struct snapshot *s, const struct holder_wait *w, bool is_first)
{
	printf("%s{\"tid\":%d,\"kind\":\"%s\",\"wait_id\":%llu,\"complete\":%s,\"unknown\":\"%s\",\"n_candidates\":%u,"
	       "\"holders\":[",
	       is_first ? "" : ",", (int)s->threads[w->thread].tid, holder_kind_name(w->kind),
	       (unsigned long long)w->wait_id, w->is_complete ? "true" : "false", w->unknown ? w->unknown : "",
	       w->n_candidates);
	for (uint32_t i = 0; i < w->n_holders; i++)
		print_holder(s, &w->holders[i], i == 0);
	printf("],\"candidates\":[");
	for (uint32_t i = 0; i < w->n_listed; i++)
		print_holder(s, &w->candidates[i], i == 0);
	printf("]}");
}

static void read_memory(struct look *l)
{
	if (l->n_memory)
		check(target_read(l->t, l->address, l->memory, l->n_memory), "memory");
}

static void look(struct look *l)
{
	struct snapshot s = {0};
	struct stacks stacks;
	struct holders holders;
	int64_t us;

	check(target_stop(l->t, MAX_STOP_MS), "stop");
	l->epoch++;
	target_view_begin(l->t);
	check(walk_snapshot(l->m, 1, l->epoch, SNAPSHOT_ALL | SNAPSHOT_FRAMES | SNAPSHOT_HOLDERS, MAX_STOP_MS, &s),
	      "walk");
	pid_t *tids = calloc(s.n_threads, sizeof(*tids));
	for (size_t i = 0; tids && i < s.n_threads; i++)
		tids[i] = s.threads[i].tid;
	check(stacks_take(l->m, &s, tids, s.n_threads, STACK_COPY_MANY, STACK_MAX_FRAMES, &stacks), "stacks");
	read_memory(l);
	check(target_resume(l->t, &us), "resume");
	handles_epoch_ended(l->handles, l->epoch);

	infer_snapshot(l->m, &s);
	stack_fill_snapshot(&stacks, &s);
	check(holders_find(l->m, &s, &holders), "holders");
	printf("{\"waits\":[");
	for (size_t i = 0; i < holders.n; i++)
		print_wait(&s, &holders.waits[i], i == 0);
	printf("],\"memory\":\"");
	for (size_t i = 0; i < l->n_memory; i++)
		printf("%02x", l->memory[i]);
	printf("\"}\n");
	holders_deinit(&holders);
	stacks_deinit(&stacks);
	snapshot_deinit(&s);
	free(tids);
}

int main(int argc, char **argv)
{
	static struct look l;

	if (argc != 4 && argc != 6) {
		fprintf(stderr, "usage: who_holds LIBOMPD PID LOOKS [ADDRESS BYTES]\n");
		return 2;
	}
	struct plugin_options options = {.libompd = argv[1], .timeout_ms = MAX_STOP_MS};
	if (argc == 6) {
		l.address = strtoull(argv[4], NULL, 0);
		l.n_memory = strtoul(argv[5], NULL, 10);
		if (l.n_memory > MAX_MEMORY)
			return 2;
	}
	check(target_attach((pid_t)atoi(argv[2]), TARGET_STOP, MAX_STOP_MS, &l.t), "attach");
	l.handles = handles_create(MAX_STOP_MS);
	check(model_create(l.t, &options, l.handles, &l.m), "model");
	check(model_need_plugin(l.m), "plugin");
	for (int n = atoi(argv[3]); n > 0; n--)
		look(&l);
	model_destroy(l.m);
	handles_destroy(l.handles);
	target_destroy(l.t);
	return 0;
}
