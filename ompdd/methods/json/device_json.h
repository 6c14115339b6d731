/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Devices, map tables and images as JSON: `device` and `device_image` of device.list. */
#ifndef OMPDD_METHODS_DEVICE_JSON_H
#define OMPDD_METHODS_DEVICE_JSON_H

#include <stddef.h>

struct devices;
struct json_object;
struct snapshot;
struct worker;

/* Return the devices, with the first @max_maps objects of each map table. @s, of the same view, has thread numbers. */
struct json_object *device_json_list(struct worker *w, const struct snapshot *s, const struct devices *d,
				     size_t max_maps);
/* Return the images, with names and lines of their functions. */
struct json_object *device_json_images(struct worker *w, const struct devices *d);

#endif
