/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Records that are found by a key, in the tool's memory. They keep the order in which they were
 * added, until one is removed.
 */
#ifndef OMPDD_LIBOMPD_RECORDS_H
#define OMPDD_LIBOMPD_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "omp-tools.h"

/* Initialise `size` and `key_size`, and set the other members to zero. */
struct records {
	size_t size;	 /* bytes of a record */
	size_t key_size; /* the first bytes of a record are its key: a multiple of 8 */
	uint8_t *all;	 /* the records in order */
	size_t n, room;
	/* Hash table with open addressing, at most half full: 1 + the number of a record; 0: free. */
	uint32_t *slots;
	size_t n_slots; /* a power of two */
};

/* Return the record with the key at @key, or NULL. */
void *records_find(const struct records *r, const void *key);

/* Add a copy of @record. No record may have its key. Returns nomem. */
ompd_rc_t records_add(struct records *r, const void *record);

/* Remove the record with the key at @key, which must exist. The last record takes its place. */
void records_remove(struct records *r, const void *key);

/* Free the memory. @r is empty afterwards. */
void records_deinit(struct records *r);

#endif
