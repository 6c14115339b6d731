/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * openmp/python: interpreters, threads, frames, code, texts and tables of lines of a hostile Python. The input is the
 * memory of the process, from _PyRuntime on. Texts must be valid UTF-8 of bounded length.
 */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "fake_python.h"
#include "fake_target.h"
#include "fuzz.h"
#include "openmp/python/python_chain.h"
#include "openmp/python/python_frames.h"
#include "openmp/python/python_text.h"

static void check_text(const char *text)
{
	FUZZ_ASSERT(strlen(text) <= PYTHON_MAX_TEXT * UTF8_MAX_SEQUENCE && utf8_is_valid(text, strlen(text)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static unsigned char memory[FAKE_PYTHON_SIZE];
	struct stacks_thread threads[2] = {{.tid = 100}, {.tid = 101}};

	if (size > sizeof(memory))
		return 0;
	memset(memory, 0, sizeof(memory));
	memcpy(memory, data, size);
	struct stacks st = {.t = fake_python_create(memory), .max_frames = 256, .threads = threads, .n_threads = 2};

	target_view_begin(st.t);
	struct error *err = python_frames_take(&st);
	FUZZ_ASSERT(!err);
	for (size_t i = 0; i < 2; i++) {
		FUZZ_ASSERT(threads[i].n_python <= PYTHON_MAX_FRAMES);
		for (uint32_t k = 0; k < threads[i].n_python; k++) {
			const struct source_place *place = &threads[i].python[k].place->source.places[0];

			check_text(place->function);
			check_text(place->file);
			FUZZ_ASSERT(place->line >= 0);
		}
		free(threads[i].python);
	}
	stack_places_deinit(&st);
	free(st.python_why);
	target_destroy(st.t);
	return 0;
}
