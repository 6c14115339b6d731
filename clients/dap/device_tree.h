/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The scope "Devices": the runtimes with their devices, map tables and device images, read once for each stop. */
#ifndef OMPDD_DAP_DEVICE_TREE_H
#define OMPDD_DAP_DEVICE_TREE_H

#include "debuggee.h"

struct device_call;

struct device_tree {
	struct device_call *call;  /* in progress for the present stop; NULL: none */
	bool is_known;		   /* the service has answered for the present stop, or has failed */
	struct json_object *lines; /* lines of variables.h; owned; NULL: no devices */
};

/* Call @done when the devices of @target are known, or the service has failed; at once if they are known. */
void device_tree_request(struct device_tree *tree, struct debuggee *target, debuggee_fn *done, void *arg);
/* The process runs: its devices are no longer known. */
void device_tree_forget(struct device_tree *tree);

/*
 * Return the nodes of the view "devices" as lines by name, each with the lines below it; NULL if no runtime has
 * devices, images, or a reason why they are unavailable. The caller owns them.
 */
struct json_object *device_tree_lines(struct json_object *nodes);

#endif
