/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Fuzzers of libompd's readers against a hostile target. The target is their own process with an OpenMP runtime and
 * parked threads. The input lays its own bytes over the runtime's code and data: its first byte chooses the areas; the
 * rest are changes of four bytes: the area, the offset in it (16 bits), the value.
 *
 * Finding all addresses takes most of the time. If an input does not overlay anything that this search reads, fifteen
 * such inputs in sixteen reuse a process that was initialised once.
 */
#ifndef OMPDD_FUZZ_OVERLAY_H
#define OMPDD_FUZZ_OVERLAY_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "omp-tools.h"

#define OVERLAY_MAX_CHOICES   8
#define OVERLAY_MAX_AREAS     16
#define OVERLAY_MAX_AREA_SIZE 8192

/* Each fuzzer defines one `overlay`; LLVMFuzzerTestOneInput() is in overlay.c. */
struct overlay {
	const char *library; /* the runtime's file, for dlopen() */
	int n_choices;
	int late;	    /* the choice that is read only after the process is known, or nearly; -1: none */
	size_t max_areas;   /* of each choice; the corpora's bytes mean areas by their number */
	uint64_t max_reads; /* of the target's memory, for all requests about one input */
	uint64_t max_bytes; /* of these */
	/* From area 128 on, the value is another area, whose address is written: so lists can form cycles. */
	bool has_links;
	/* Creates the thread that starts a nested team, whose threads park. The runtime is loaded. */
	void (*start)(void);
	/* Reports with overlay_add() the areas that can be overlaid. */
	void (*find)(ompd_address_space_handle_t *as);
	/* NULL, or a function that handles the input instead; false: it did nothing. */
	bool (*try)(int choice, const uint8_t *data, size_t size);
};

extern const struct overlay overlay;

/* The threads that are parked. */
extern pthread_t overlay_threads[8];
extern int overlay_n_threads;

/*
 * Reports that the calling thread is at its final place; the second also keeps it there. The process ends with exit().
 */
void overlay_tell(void);
void overlay_park(void *unused);

/* For find(): does nothing if there is too little or too much at @address. */
void overlay_add(int choice, uint64_t address, size_t size);
size_t overlay_n_areas(int choice);
/* Returns a word of this process; 0 at 0. */
uint64_t overlay_word(uint64_t address);
uint64_t overlay_symbol(const char *name);

#endif
