/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Fuzzers of libompd's readers against a hostile target: their own process with an OpenMP runtime, in which threads are
 * parked, and over whose code and data the input lays its own bytes. The input's first byte chooses what is overlaid;
 * the rest are changes of four bytes: the area, the offset in it (16 bits), the value.
 *
 * What finds out where everything is takes most of the time. Of inputs that overlay what it does not read, fifteen in
 * sixteen are therefore asked of a process that was begun to be looked at once.
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

/* Each fuzzer defines one, `overlay`; LLVMFuzzerTestOneInput() is in overlay.c. */
struct overlay {
	const char *library; /* the runtime's file, for dlopen() */
	int n_choices;
	int late;	    /* the choice of what is read when the process is known, or nearly so; -1: none */
	size_t max_areas;   /* of each choice; the corpora's bytes mean areas by their number */
	uint64_t max_reads; /* of the target's memory, for all questions about one input */
	uint64_t max_bytes; /* of these */
	/* From area 128 on the value is another area, whose address is put there: so lists lead into themselves. */
	bool has_links;
	/* Make the thread that starts a nested team, whose threads park. The runtime is loaded. */
	void (*start)(void);
	/* Say with overlay_add() what can be overlaid. */
	void (*find)(ompd_address_space_handle_t *as);
	/* NULL, or what is done with the input instead; false: nothing. */
	bool (*try)(int choice, const uint8_t *data, size_t size);
};

extern const struct overlay overlay;

/* The threads that are parked. */
extern pthread_t overlay_threads[8];
extern int overlay_n_threads;

/* The calling thread is where it is to stay; or also have it stay here. The process is left by exit(). */
void overlay_tell(void);
void overlay_park(void *unused);

/* For find(): nothing when there is nothing at @address, or too much. */
void overlay_add(int choice, uint64_t address, size_t size);
size_t overlay_n_areas(int choice);
/* A word of this process; 0 at 0. */
uint64_t overlay_word(uint64_t address);
uint64_t overlay_symbol(const char *name);

#endif
