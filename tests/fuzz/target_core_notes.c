/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* target/core_notes: the notes of a core. The results must be sorted, and lie within the input. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "target/core/core_notes.h"
#include "target/target.h"

static void check(const struct core_notes *notes)
{
	FUZZ_ASSERT(notes->n_threads <= TARGET_MAX_THREADS);
	FUZZ_ASSERT(memchr(notes->comm, '\0', sizeof(notes->comm)));
	for (size_t i = 0; i < notes->n_threads; i++) {
		FUZZ_ASSERT(notes->threads[i].tid > 0);
		FUZZ_ASSERT(!i || notes->threads[i - 1].tid < notes->threads[i].tid);
		FUZZ_ASSERT(core_notes_thread(notes, notes->threads[i].tid) == &notes->threads[i]);
	}
	for (size_t i = 0; i < notes->n_maps; i++) {
		const struct core_map *map = &notes->maps[i];

		FUZZ_ASSERT(map->start < map->end);
		FUZZ_ASSERT(!i || notes->maps[i - 1].end <= map->start);
		FUZZ_ASSERT(map->offset + (map->end - map->start) >= map->offset);
		FUZZ_ASSERT(strlen(map->path) > 0);
		FUZZ_ASSERT(core_notes_map(notes, map->start) == map);
		FUZZ_ASSERT(core_notes_map(notes, map->end - 1) == map);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct core_notes notes = {0};

	/* A copy of exactly this length, so that a sanitizer sees every read behind it. */
	unsigned char *bytes = malloc(size ? size : 1);
	if (!bytes)
		return 0;
	memcpy(bytes, data, size);
	Elf_Data elf_data = {.d_buf = bytes, .d_size = size, .d_type = ELF_T_NHDR};
	struct error *err = core_notes_add(&notes, &elf_data);
	free(bytes);
	if (!err) {
		core_notes_finish(&notes);
		check(&notes);
	}
	error_destroy(err);
	core_notes_deinit(&notes);
	return 0;
}
