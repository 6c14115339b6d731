/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The note in cores that ompdd writes itself: how the memory of the process was copied. */
#ifndef OMPDD_TARGET_DUMP_NOTE_H
#define OMPDD_TARGET_DUMP_NOTE_H

#include <stdint.h>

/* Owner and type of the note. No other note has this type: some programs regard only the type. */
#define DUMP_NOTE_OWNER "OMPDD"
#define DUMP_NOTE_TYPE	0x444d504f

/* The contents. Later versions append members. */
struct dump_note {
	uint64_t late;	     /* bytes that were copied while the threads ran */
	uint64_t unreadable; /* bytes that could not be read; they are zero in the core */
	uint64_t stopped_us; /* duration of the stop */
};

#endif
