/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A mapped ELF file, read from the target. Its content is not trusted: segments and searches have
 * size limits.
 */
#include "code/image.h"

#include <elf.h>
#include <string.h>

#include "callbacks.h"
#include "code/decode.h"

#define PAGE 4096
/* Maximum distance from the start of the file to a function: the text of the largest programs. */
#define MAX_BEFORE (64u << 20)
/* Limit on the bytes of a file that a search reads. */
#define MAX_SEARCH (32u << 20)
#define CHUNK	   (64u << 10)

static bool is_elf(const Elf64_Ehdr *header)
{
	return !memcmp(header->e_ident, ELFMAG, SELFMAG) && header->e_ident[EI_CLASS] == ELFCLASS64 &&
	       header->e_phentsize == sizeof(Elf64_Phdr);
}

static ompd_rc_t find_header(ompd_address_space_context_t *context, ompd_addr_t inside, ompd_addr_t *at,
			     Elf64_Ehdr *ret)
{
	ompd_addr_t page = inside - inside % PAGE;

	for (size_t before = 0; before <= MAX_BEFORE && page; before += PAGE, page -= PAGE) {
		/* The pages between segments may be unmapped. */
		if (cb_read(context, page, sizeof(*ret), ret) == ompd_rc_ok && is_elf(ret)) {
			*at = page;
			return ompd_rc_ok;
		}
	}
	return ompd_rc_unavailable;
}

static void add_segment(struct image *image, ompd_addr_t bias, const Elf64_Phdr *header)
{
	ompd_addr_t start = bias + header->p_vaddr, end = start + header->p_memsz;

	if (header->p_type == PT_GNU_RELRO && end > start) {
		image->relro_start = start;
		image->relro_end = end;
	}
	if (header->p_type != PT_LOAD || image->n == IMAGE_MAX_SEGMENTS || end <= start)
		return;
	image->segments[image->n++] = (struct image_segment){
		.start = start,
		.end = end,
		.is_code = header->p_flags & PF_X,
		.is_writable = header->p_flags & PF_W,
	};
}

ompd_rc_t image_read(ompd_address_space_context_t *context, ompd_addr_t inside, struct image *ret)
{
	Elf64_Phdr headers[IMAGE_MAX_SEGMENTS * 2];
	struct image image = {0};
	Elf64_Ehdr header;
	ompd_addr_t at;

	RC_TRY(find_header(context, inside, &at, &header));
	size_t n = header.e_phnum, max = sizeof(headers) / sizeof(headers[0]);

	if (n > max)
		n = max;
	RC_TRY(cb_read(context, at + header.e_phoff, n * sizeof(headers[0]), headers));
	/* The program headers are in the first page of the file, which its first segment maps. */
	for (size_t i = 0; i < n; i++) {
		if (headers[i].p_type != PT_LOAD)
			continue;
		ompd_addr_t bias = at - (headers[i].p_vaddr - headers[i].p_vaddr % PAGE);

		if (headers[i].p_offset >= PAGE)
			return ompd_rc_unavailable;
		for (size_t j = i; j < n; j++)
			add_segment(&image, bias, &headers[j]);
		break;
	}
	if (!image_has(&image, inside))
		return ompd_rc_unavailable;
	*ret = image;
	return ompd_rc_ok;
}

bool image_has(const struct image *image, ompd_addr_t address)
{
	for (size_t i = 0; i < image->n; i++)
		if (address >= image->segments[i].start && address < image->segments[i].end)
			return true;
	return false;
}

bool image_has_code(const struct image *image, ompd_addr_t address)
{
	for (size_t i = 0; i < image->n; i++)
		if (image->segments[i].is_code && address >= image->segments[i].start &&
		    address < image->segments[i].end)
			return true;
	return false;
}

bool image_is_relro(const struct image *image, ompd_addr_t address)
{
	return address >= image->relro_start && address < image->relro_end &&
	       image->relro_end - address >= sizeof(uint64_t);
}

/* Return the match's offset in a chunk that is at @address, or SIZE_MAX. */
typedef size_t find_fn(const uint8_t *bytes, size_t size, ompd_addr_t address, const void *what);

/*
 * Search from @start to @end. Chunks overlap by @overlap bytes, so a match that crosses a border is
 * in one of them.
 */
static ompd_rc_t search_range(ompd_address_space_context_t *context, ompd_addr_t start, ompd_addr_t end, size_t overlap,
			      find_fn *find, const void *what, ompd_addr_t *ret)
{
	ompd_rc_t rc = ompd_rc_unavailable;
	void *chunk;

	if (end - start > MAX_SEARCH)
		end = start + MAX_SEARCH;
	RC_TRY(cb_alloc_raw(CHUNK + overlap, &chunk));
	for (ompd_addr_t at = start; at < end && rc == ompd_rc_unavailable; at += CHUNK) {
		size_t size = end - at < CHUNK + overlap ? (size_t)(end - at) : CHUNK + overlap;

		/* Skip a chunk that cannot be read. */
		if (cb_read(context, at, size, chunk) != ompd_rc_ok)
			continue;
		size_t found = find(chunk, size, at, what);

		if (found != SIZE_MAX) {
			*ret = at + found;
			rc = ompd_rc_ok;
		}
	}
	cb_free(chunk);
	return rc;
}

struct needle {
	const void *bytes;
	size_t size;
};

static size_t find_bytes(const uint8_t *bytes, size_t size, ompd_addr_t address, const void *what)
{
	const struct needle *needle = what;
	const uint8_t *found = memmem(bytes, size, needle->bytes, needle->size);

	(void)address;
	return found ? (size_t)(found - bytes) : SIZE_MAX;
}

static size_t find_use(const uint8_t *bytes, size_t size, ompd_addr_t address, const void *what)
{
	return decode_find_use(bytes, size, address, *(const ompd_addr_t *)what);
}

ompd_rc_t image_find(ompd_address_space_context_t *context, const struct image *image, const void *bytes, size_t size,
		     ompd_addr_t *ret)
{
	const struct needle needle = {bytes, size};

	/* Search segments with code last: a match there is rare. */
	for (int of_code = 0; of_code <= 1; of_code++) {
		for (size_t i = 0; i < image->n; i++) {
			const struct image_segment *s = &image->segments[i];

			if (!s->is_writable && s->is_code == of_code &&
			    search_range(context, s->start, s->end, IMAGE_MAX_BYTES, find_bytes, &needle, ret) ==
				    ompd_rc_ok)
				return ompd_rc_ok;
		}
	}
	return ompd_rc_unavailable;
}

ompd_rc_t image_find_use(ompd_address_space_context_t *context, const struct image *image, ompd_addr_t from,
			 ompd_addr_t target, ompd_addr_t *ret)
{
	for (size_t i = 0; i < image->n; i++) {
		const struct image_segment *s = &image->segments[i];
		ompd_addr_t start = from > s->start ? from : s->start;

		if (s->is_code && start < s->end &&
		    search_range(context, start, s->end, DECODE_MAX_LENGTH, find_use, &target, ret) == ompd_rc_ok)
			return ompd_rc_ok;
	}
	return ompd_rc_unavailable;
}
