/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The offsets of members in CPython's objects. CPython 3.13 and later describe themselves in memory (_Py_DebugOffsets).
 * For 3.9 to 3.12 there is one table per minor version, from the public headers, for 64-bit processors.
 */
#ifndef OMPDD_OPENMP_PYTHON_LAYOUT_H
#define OMPDD_OPENMP_PYTHON_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Minor versions of CPython 3 as PYTHON_VERSION(11). */
#define PYTHON_VERSION(minor) (0x300u | (minor))
#define PYTHON_OLDEST	      PYTHON_VERSION(9)
#define PYTHON_NEWEST	      PYTHON_VERSION(14)

/* Bytes that python_layout_describe() needs of _PyRuntime. */
#define PYTHON_DESCRIPTION_SIZE 1024
/* Limit for python_layout.frame_size. */
#define PYTHON_MAX_FRAME_SIZE 256

/* How a thread's frames, and the calls from C into Python, are linked. */
enum python_frames_kind {
	PYTHON_FRAMES_OBJECTS,	/* 3.9, 3.10: frame objects; one evaluation in C for each */
	PYTHON_FRAMES_BY_ENTRY, /* 3.11: the frame that C called is marked */
	PYTHON_FRAMES_BY_SHIM,	/* from 3.12: a frame on the C stack ends the frames of a call from C */
};

struct python_layout {
	unsigned version; /* PYTHON_VERSION() */
	enum python_frames_kind frames_kind;
	bool is_free_threaded;

	uint32_t runtime_interpreters; /* the first interpreter */
	uint32_t runtime_gil;	       /* the GIL itself; 0: each interpreter has one */

	uint32_t interpreter_next;
	uint32_t interpreter_threads;
	uint32_t interpreter_gil; /* a pointer to its GIL; 0: the GIL is the runtime's */

	uint32_t thread_prev, thread_next, thread_interpreter;
	uint32_t thread_id;	   /* pthread_t */
	uint32_t thread_native_id; /* the kernel's id; 0: not stored */
	uint32_t thread_frame;	   /* the innermost frame; 0: the C frame has it */
	uint32_t thread_c_frame;   /* the innermost C frame, a record on the C stack; 0: none */

	uint32_t thread_root; /* 3.10, 3.11: the outermost C frame, which calls no Python */

	uint32_t c_frame_previous;
	uint32_t c_frame_frame; /* the innermost Python frame */

	uint32_t frame_code, frame_previous;
	uint32_t frame_instruction; /* a pointer, or an int32_t for frame objects */
	uint32_t frame_owner;	    /* 0: not stored */
	uint32_t frame_is_entry;    /* 3.11 */
	uint32_t frame_size;	    /* bytes up to the end of these members */

	uint32_t code_filename, code_name, code_qualified_name, code_lines, code_first_line;
	uint32_t code_instructions;    /* from 3.11: the code itself; the instruction is a pointer into it */
	uint32_t code_first_traceable; /* the index of the first instruction that belongs to a line; 0: not known */

	uint32_t object_type;
	uint32_t bytes_size, bytes_data;
	uint32_t text_length, text_state, text_data; /* text_data: of an ASCII text */
	uint32_t text_data_wide;		     /* of other texts */
	uint32_t text_kind_shift; /* the first bit in the state of: bytes per character (3 bits), compact, ASCII */

	uint32_t gil_locked, gil_holder;
};

/* Returns the table of @version, 3.9 to 3.12; NULL for other versions. */
const struct python_layout *python_layout_of(unsigned version);
/*
 * Reads the layout of CPython 3.13 and later from @bytes, the first bytes of _PyRuntime. Returns false if they describe
 * no known version, or offsets that no build has.
 */
bool python_layout_describe(const unsigned char *bytes, size_t len, struct python_layout *ret);

#endif
