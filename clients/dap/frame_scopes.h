/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The frames that the client knows at this stop, and their scopes "Thread", "Task ICVs", "Region" and "Devices". */
#ifndef OMPDD_DAP_FRAME_SCOPES_H
#define OMPDD_DAP_FRAME_SCOPES_H

#include "client.h"
#include "debuggee.h"
#include "device_tree.h"
#include "variables.h"

/* Frames per stop that are remembered. */
#define FRAME_SCOPES_MAX 200000

/* The thread and task of a frame. */
struct scoped_frame {
	int64_t id;
	int64_t tid;
	size_t task; /* in the view; FACTS_NONE: not known */
};

struct scoped_frames {
	struct scoped_frame *frames;
	size_t n, cap;
};

struct frame_scopes {
	struct dap_client *client;
	struct debuggee *target;
	struct scoped_frames native; /* with ids of the native adapter */
	struct scoped_frames own;    /* frame i has id MESSAGE_OWN_IDS + i */
	struct variables variables;
	struct device_tree devices;
};

/* Remember a frame of the native adapter. */
void frame_scopes_note(struct frame_scopes *s, int64_t id, int64_t tid, size_t task);
/* Remember a frame or a label of our own. Returns its id. */
int64_t frame_scopes_add(struct frame_scopes *s, int64_t tid, size_t task);
/* Return the frame with that id; NULL: not known. */
const struct scoped_frame *frame_scopes_find(const struct frame_scopes *s, int64_t id);
/* Return whether @id is the id of a frame of our own. */
bool frame_scopes_is_own(const struct frame_scopes *s, int64_t id);

/* Call @done when frame_scopes_list() can list all scopes of frames in the view @v, which may be NULL. */
void frame_scopes_prepare(struct frame_scopes *s, const struct view *v, debuggee_fn *done, void *arg);
/* Append the scopes of @frame in the view @v to @scopes. Both may be NULL. */
void frame_scopes_list(struct frame_scopes *s, const struct scoped_frame *frame, const struct view *v,
		       struct json_object *scopes);
/* Answer the request for variables of our scopes. Control variables are looked up only when the user opens them. */
void frame_scopes_answer(struct frame_scopes *s, struct json_object *request);

/* The process runs: forget all frames and variables. Their ids become invalid. */
void frame_scopes_forget(struct frame_scopes *s);
void frame_scopes_deinit(struct frame_scopes *s);

#endif
