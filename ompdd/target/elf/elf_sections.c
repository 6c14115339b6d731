/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sections of an ELF file other than its symbols: the build-id, the compiler, the link to the debug file. */
#include "target/elf/elf_sections.h"

#include <elf.h>
#include <gelf.h>
#include <string.h>

Elf_Scn *elf_sections_find(Elf *elf, uint32_t type, const char *name)
{
	size_t names;
	Elf_Scn *scn = NULL;

	if (!elf || elf_getshdrstrndx(elf, &names) != 0)
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		/* Copy the section: in a crafted file the original may be unaligned. */
		GElf_Shdr shdr;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != type)
			continue;
		const char *its = elf_strptr(elf, names, shdr.sh_name);
		if (!name || (its && !strcmp(its, name)))
			return scn;
	}
	return NULL;
}

Elf_Data *elf_sections_data(Elf_Scn *scn)
{
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;

	return data && data->d_buf && data->d_size ? data : NULL;
}

void elf_sections_parse_build_id(const unsigned char *notes, size_t len, char *ret)
{
	size_t at = 0;

	ret[0] = '\0';
	while (len - at >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr note;

		memcpy(&note, notes + at, sizeof(note));
		at += sizeof(note);
		/* Both are 32-bit numbers that the file controls. */
		size_t name = ((size_t)note.n_namesz + 3) & ~(size_t)3;
		size_t desc = ((size_t)note.n_descsz + 3) & ~(size_t)3;
		if (name > len - at || desc > len - at - name)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !memcmp(notes + at, "GNU", 4) &&
		    note.n_descsz && note.n_descsz <= 20) {
			for (size_t i = 0; i < note.n_descsz; i++) {
				static const char digits[] = "0123456789abcdef";
				unsigned char byte = notes[at + name + i];

				ret[2 * i] = digits[byte >> 4];
				ret[2 * i + 1] = digits[byte & 15];
			}
			ret[2 * note.n_descsz] = '\0';
			return;
		}
		at += name + desc;
	}
}

void elf_sections_build_id(Elf *elf, char *ret)
{
	Elf_Data *notes = elf_sections_data(elf_sections_find(elf, SHT_NOTE, ".note.gnu.build-id"));

	ret[0] = '\0';
	if (notes)
		elf_sections_parse_build_id(notes->d_buf, notes->d_size, ret);
}

char *elf_sections_compiler(Elf *elf)
{
	Elf_Data *comment = elf_sections_data(elf_sections_find(elf, SHT_PROGBITS, ".comment"));

	if (!comment)
		return NULL;
	const char *text = comment->d_buf;
	size_t len = comment->d_size < ELF_SECTIONS_MAX_NOTES ? comment->d_size : ELF_SECTIONS_MAX_NOTES;
	/* Some linkers start with an empty string. */
	while (len && !*text) {
		text++;
		len--;
	}
	return len ? strndup(text, len < 256 ? len : 256) : NULL;
}

bool elf_sections_debuglink(Elf *elf, char *name, size_t size, uint32_t *crc_ret)
{
	Elf_Data *link = elf_sections_data(elf_sections_find(elf, SHT_PROGBITS, ".gnu_debuglink"));

	if (!link)
		return false;
	size_t len = strnlen(link->d_buf, link->d_size);
	size_t crc_at = (len + 4) & ~(size_t)3;
	if (!len || len >= size || link->d_size < crc_at + 4 || memchr(link->d_buf, '/', len))
		return false;
	memcpy(name, link->d_buf, len + 1);
	memcpy(crc_ret, (const char *)link->d_buf + crc_at, 4);
	return true;
}
