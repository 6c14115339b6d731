/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * target/core_memory: the input is the size of the file (8 bytes), then program headers. All bytes reported as present
 * must be in the file, and each address has one place.
 */
#include <string.h>

#include "fuzz.h"
#include "target/core/core_memory.h"

static void check_address(const struct core_memory *m, uint64_t address, uint64_t file_size)
{
	size_t len = 1 << 20;
	uint64_t offset = 0;
	enum core_place place = core_memory_locate(m, address, &len, &offset);

	FUZZ_ASSERT(len > 0 && len <= 1 << 20);
	if (place == CORE_IN_FILE)
		FUZZ_ASSERT(offset < file_size && len <= file_size - offset);
	if (place != CORE_NOWHERE)
		FUZZ_ASSERT(core_memory_segment(m, address) && core_memory_segment(m, address + len - 1));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct core_memory m = {0};
	struct error *err = NULL;
	uint64_t file_size;
	GElf_Phdr phdr;

	if (size < sizeof(file_size))
		return 0;
	memcpy(&file_size, data, sizeof(file_size));
	for (size_t at = sizeof(file_size); !err && size - at >= sizeof(phdr); at += sizeof(phdr)) {
		memcpy(&phdr, data + at, sizeof(phdr));
		err = core_memory_add(&m, &phdr);
	}
	core_memory_finish(&m, file_size);
	for (size_t i = 0; i < m.n; i++) {
		const struct core_segment *s = &m.segments[i];

		FUZZ_ASSERT(s->start < s->end && s->there <= s->dumped && s->dumped <= s->end - s->start);
		FUZZ_ASSERT(!i || m.segments[i - 1].end <= s->start);
		check_address(&m, s->start, file_size);
		check_address(&m, s->end - 1, file_size);
		check_address(&m, s->start + (s->end - s->start) / 2, file_size);
		check_address(&m, s->start - 1, file_size);
		check_address(&m, s->end, file_size);
	}
	check_address(&m, 0, file_size);
	check_address(&m, UINT64_MAX, file_size);
	error_destroy(err);
	core_memory_deinit(&m);
	return 0;
}
