/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A snapshot for unit tests of clients/dap.
 * Threads 10 and 12 are a team (region 1, encountered by 10 in main()). Threads 10 and 13 are a team within it (region
 * 2). Thread 9 is in no region, thread 20 is idle, thread 99 is without OpenMP. The threads are listed in another order
 * than the one to show.
 */
#ifndef OMPDD_SUPPORT_TWO_LEVELS_H
#define OMPDD_SUPPORT_TWO_LEVELS_H

#include <json-c/json.h>

#include "message.h"
#include "view.h"

#define TWO_LEVELS_THREAD(tid, num, state, source, parallel, task)                                                     \
	"{\"tid\":" #tid ",\"comm\":\"a\",\"openmp\":true,\"thread_num\":" #num                                        \
	",\"state\":{\"name\":\"ompt_state_" state "\",\"value\":1,\"source\":\"" source                               \
	"\"},\"parallel\":\"" parallel "\",\"task\":\"" task "\"}"
#define TWO_LEVELS_TASK(handle, kind, tid, parallel, generating)                                                       \
	"{\"handle\":\"" handle "\",\"kind\":\"" kind "\",\"thread\":" #tid ",\"parallel\":\"" parallel                \
	"\",\"generating\":\"" generating "\"}"

static const char two_levels_json[] =
	"{\"threads\":[{\"tid\":99,\"comm\":\"logger\",\"openmp\":false},"
	"{\"tid\":20,\"comm\":\"a\",\"openmp\":true,\"state\":{\"name\":\"ompt_state_idle\",\"value\":1,\"source\":"
	"\"plugin\"}}," TWO_LEVELS_THREAD(13, 1, "wait_critical", "plugin", "p2", "k13") "," TWO_LEVELS_THREAD(12, 1, "wait_barrier_explicit", "plugin", "p1", "k12") "," TWO_LEVELS_THREAD(
		10, 0, "work_parallel", "inferred", "p2",
		"k10b") "," TWO_LEVELS_THREAD(9, 0, "work_serial", "plugin", "p9",
					      "k9") "],"
						    "\"parallels\":[{\"handle\":\"p0\",\"level\":0,\"team_size\":1,"
						    "\"threads\":[10]},"
						    "{\"handle\":\"p9\",\"level\":0,\"team_size\":1,\"threads\":[9]},"
						    "{\"handle\":\"p1\",\"level\":1,\"team_size\":2,\"enclosing\":"
						    "\"p0\",\"threads\":[10,12]},"
						    "{\"handle\":\"p2\",\"level\":2,\"team_size\":2,\"enclosing\":"
						    "\"p1\",\"threads\":[10,13]}],"
						    "\"tasks\":[" TWO_LEVELS_TASK("k0", "initial", 10, "p0", "") "," TWO_LEVELS_TASK("k9", "initial", 9, "p9", "") "," TWO_LEVELS_TASK(
							    "k10", "implicit", 10, "p1",
							    "k0") "," TWO_LEVELS_TASK("k12", "implicit", 12, "p1",
										      "k0") "," TWO_LEVELS_TASK("k10b",
														"implic"
														"it",
														10,
														"p2",
														"k10") "," TWO_LEVELS_TASK("k13",
																	   "implicit",
																	   13,
																	   "p2",
																	   "k10") "]}";

/* A result of runtime.names. */
static const char two_levels_names[] =
	"{\"bodies\":[\"_omp_fn\",\"omp_outlined\",\"omp_task_entry\"],\"regions\":[\"GOMP_parallel\","
	"\"__kmpc_fork_call\"],\"runtime\":[\"GOMP_\",\"gomp_\",\"__kmp\"]}";

#define TWO_LEVELS_ROW(state) "{\"cells\":{\"state\":{\"text\":\"" state "\"}}}"

/* The rows of view.get for the threads above. */
static const char two_levels_rows[] = "[" TWO_LEVELS_ROW("no OpenMP") "," TWO_LEVELS_ROW("idle") "," TWO_LEVELS_ROW(
	"critical") "," TWO_LEVELS_ROW("barrier") "," TWO_LEVELS_ROW("work~") "," TWO_LEVELS_ROW("serial") "]";

/* Create the view of a snapshot. The caller destroys it. */
static inline struct view *two_levels_view_of(const char *snapshot, size_t len)
{
	struct json_object *sample = json_object_new_object();
	struct json_object *names = dap_message_parse(two_levels_names, sizeof(two_levels_names) - 1);

	json_object_object_add(sample, "raw", dap_message_parse(snapshot, len));
	json_object_object_add(sample, "rows", json_tokener_parse(two_levels_rows));
	struct view *v = view_create(sample, names);
	json_object_put(sample);
	json_object_put(names);
	return v;
}

static inline struct view *two_levels(void)
{
	return two_levels_view_of(two_levels_json, sizeof(two_levels_json) - 1);
}

#endif
