/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The memory of a small Python process in a fake target: one interpreter, two threads, two functions. */
#ifndef OMPDD_SUPPORT_FAKE_PYTHON_H
#define OMPDD_SUPPORT_FAKE_PYTHON_H

#include <stdint.h>

#include "openmp/python/python_layout.h"
#include "target/target.h"

/* All objects are in one block of memory. */
#define FAKE_PYTHON_MEMORY 0x100000u
#define FAKE_PYTHON_SIZE   0x8000u
/* Offsets of objects in it. */
#define FAKE_PYTHON_INTERPRETER 0x1000u
#define FAKE_PYTHON_THREAD	0x2000u /* tid 100: executes inner(), called by outer() */
#define FAKE_PYTHON_IDLE	0x2400u /* tid 101: executes nothing */
#define FAKE_PYTHON_INNER	0x3000u /* the frame of inner() */
#define FAKE_PYTHON_OUTER	0x3200u /* the frame of outer() */
#define FAKE_PYTHON_C_STACK	0x3800u /* the record, or the frame, on the C stack */
#define FAKE_PYTHON_CODE	0x4000u /* the code of inner(); outer()'s follows 0x400 bytes later */
#define FAKE_PYTHON_GIL		0x7000u /* where the GIL is not a part of _PyRuntime */
#define FAKE_PYTHON_VERSION	0x7800u /* Py_Version */
#define FAKE_PYTHON_TYPES	0x7900u /* of code, text, bytes: 16 bytes each */

struct fake_python {
	struct target *t;
	struct python_layout layout;
	unsigned char memory[FAKE_PYTHON_SIZE];
};

/* Fills the memory of CPython 3.@minor. inner() is at line 12 of "/x/inner.py", outer() at line 22 of "/x/outer.py". */
void fake_python_fill(struct fake_python *f, unsigned minor);
/* Writes 8 bytes at @offset of the memory. */
void fake_python_set(struct fake_python *f, uint32_t offset, uint64_t value);
/* Creates a target with this memory, its symbols and its threads. Destroy it with target_destroy(). */
struct target *fake_python_create(const unsigned char *memory);

#endif
