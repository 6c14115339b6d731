/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* target/symbols: a file that claims to be ELF. A lookup must find every name that comes out. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "target/elf/elf_sections.h"
#include "target/elf/symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t addresses[] = {0, 1, 0x1000, 0x1139, 0x401136, UINT64_MAX};
	char build_id[41], link[256];
	struct symbols_entry entry, again;
	struct symbols *s;
	uint32_t crc;

	char *image = malloc(size ? size : 1);
	if (!image)
		return 0;
	memcpy(image, data, size);
	elf_sections_parse_build_id(data, size, build_id);
	elf_version(EV_CURRENT);
	Elf *elf = elf_memory(image, size);
	if (!elf || elf_kind(elf) != ELF_K_ELF) {
		elf_end(elf);
		free(image);
		return 0;
	}
	elf_sections_build_id(elf, build_id);
	if (strlen(build_id) > 40)
		abort();
	free(elf_sections_compiler(elf));
	elf_sections_debuglink(elf, link, sizeof(link), &crc);
	struct error *err = symbols_create(elf, NULL, &s);
	if (!err) {
		symbols_find(s, "main", symbols_hash("main"), &entry);
		for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
			if (symbols_at(s, addresses[i], &entry) &&
			    !symbols_find(s, entry.name, symbols_hash(entry.name), &again))
				abort();
		}
		symbols_destroy(s);
	}
	error_destroy(err);
	free(image);
	return 0;
}
