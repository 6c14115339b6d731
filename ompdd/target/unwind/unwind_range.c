/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reads .eh_frame_hdr, a sorted table of the entries of .eh_frame, from the target's memory (Linux Standard Base Core,
 * 10.6), and the tables of landing pads (Itanium C++ ABI, exception handling). Supports the encodings that compilers
 * use.
 */
#include "target/unwind/unwind_range.h"

#include <string.h>

#include "target/modules/module_header.h"
#include "target/modules/modules.h"
#include "target/target.h"
#include "target/target_ops.h"

#define MAX_STEPS 64   /* of a search in a sorted table */
#define MAX_ENTRY 4096 /* bytes of an entry or a table of landing pads */
#define MAX_CALLS 1024 /* entries of such a table */

/* DW_EH_PE_* */
enum {
	ENCODED_ULEB = 0x01,
	ENCODED_UDATA4 = 0x03,
	ENCODED_SDATA4 = 0x0b,
	ENCODED_FORM = 0x0f,
	ENCODED_PCREL = 0x10,
	ENCODED_TABLE = 0x30, /* relative to the table */
	ENCODED_INDIRECT = 0x80,
	ENCODED_NOT = 0xff,
};

/* Bytes of the target from `address` on. */
struct cursor {
	uint64_t address;
	size_t at, n;
	bool failed;
	unsigned char bytes[MAX_ENTRY];
};

static void load_bytes(struct target *t, struct cursor *c, uint64_t address, size_t n)
{
	*c = (struct cursor){.address = address};
	/* Memory after the end of the section may be unmapped. */
	for (; n && !target_try_read_raw(t, address, c->bytes, n); n /= 2)
		;
	c->n = n;
}

static uint64_t take_number(struct cursor *c, size_t n)
{
	uint64_t value = 0;

	if (c->failed || n > c->n - c->at) {
		c->failed = true;
		return 0;
	}
	memcpy(&value, c->bytes + c->at, n); /* little-endian */
	c->at += n;
	return value;
}

static uint64_t take_uleb(struct cursor *c)
{
	uint64_t value = 0, byte;
	unsigned shift = 0;

	do {
		byte = take_number(c, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && !c->failed);
	return value;
}

/* Read a number, or an address relative to its own position. */
static uint64_t take_encoded(struct cursor *c, unsigned char encoding)
{
	uint64_t address = c->address + c->at, value;

	switch (encoding & ENCODED_FORM) {
	case ENCODED_ULEB:
		value = take_uleb(c);
		break;
	case ENCODED_UDATA4:
		value = take_number(c, 4);
		break;
	case ENCODED_SDATA4:
		value = (uint64_t)(int64_t)(int32_t)take_number(c, 4);
		break;
	case 0:
		value = take_number(c, 8);
		break;
	default:
		c->failed = true;
		return 0;
	}
	if (encoding & ENCODED_INDIRECT)
		c->failed = true;
	if ((encoding & 0x70) == ENCODED_PCREL)
		return value ? value + address : 0;
	if (encoding & 0x70)
		c->failed = true;
	return value;
}

/* Return the address of the module's .eh_frame_hdr in memory, or 0. */
static uint64_t find_header(struct target *t, const struct target_module *module)
{
	Elf64_Phdr phdr;

	return module_header_find(t, module, PT_GNU_EH_FRAME, &phdr) ? module->base + phdr.p_vaddr : 0;
}

/* Return the address of the .eh_frame entry for @pc in the table at @header, or 0. */
static uint64_t find_entry(struct target *t, uint64_t header, uint64_t pc)
{
	struct cursor c;
	int32_t row[2];

	load_bytes(t, &c, header, 32);
	unsigned char version = (unsigned char)take_number(&c, 1), frame = (unsigned char)take_number(&c, 1);
	unsigned char count = (unsigned char)take_number(&c, 1), table = (unsigned char)take_number(&c, 1);

	if (version != 1 || table != (ENCODED_TABLE | ENCODED_SDATA4))
		return 0;
	take_encoded(&c, frame);
	uint64_t n = take_encoded(&c, count), rows = header + c.at, first = 0;
	if (c.failed || n > UINT32_MAX)
		return 0;
	/* Find the last row that starts at or before the address. */
	for (uint64_t end = n, steps = 0; first < end && steps < MAX_STEPS; steps++) {
		uint64_t middle = first + (end - first) / 2;

		if (!target_try_read_raw(t, rows + middle * sizeof(row), row, sizeof(row)))
			return 0;
		if (header + (uint64_t)(int64_t)row[0] <= pc)
			first = middle + 1;
		else
			end = middle;
	}
	if (!first || !target_try_read_raw(t, rows + (first - 1) * sizeof(row), row, sizeof(row)))
		return 0;
	return header + (uint64_t)(int64_t)row[1];
}

/* The encodings of addresses in entries that refer to the common entry at @address. */
struct common {
	unsigned char pointer, lsda;
	bool has_lsda;
};

static bool read_common(struct target *t, uint64_t address, struct common *ret)
{
	struct common common = {.pointer = 0, .lsda = ENCODED_NOT};
	char augmentation[8] = "";
	struct cursor c;
	size_t n = 0;

	load_bytes(t, &c, address, 128);
	uint64_t length = take_number(&c, 4), id = take_number(&c, 4), version = take_number(&c, 1);
	if (c.failed || !length || length == UINT32_MAX || id || version != 1)
		return false;
	for (char letter; (letter = (char)take_number(&c, 1)) && n + 1 < sizeof(augmentation);)
		augmentation[n++] = letter;
	take_uleb(&c); /* code and data alignment, return address register: skipped */
	take_uleb(&c);
	take_uleb(&c);
	if (!n || augmentation[0] != 'z')
		return false;
	take_uleb(&c);
	for (size_t i = 1; i < n; i++) {
		switch (augmentation[i]) {
		case 'R':
			common.pointer = (unsigned char)take_number(&c, 1);
			break;
		case 'L':
			common.lsda = (unsigned char)take_number(&c, 1);
			common.has_lsda = common.lsda != ENCODED_NOT;
			break;
		case 'P': {
			unsigned char encoding = (unsigned char)take_number(&c, 1);

			/* Skip the personality routine's address: only its length matters. */
			take_encoded(&c, encoding & ENCODED_FORM);
			break;
		}
		default:
			/* A signal's frame, or an unknown letter. */
			return false;
		}
	}
	*ret = common;
	return !c.failed;
}

static bool add_pad(struct unwind_range *r, uint64_t pad)
{
	for (size_t i = 0; i < r->n_pads; i++) {
		if (r->pads[i] == pad)
			return true;
	}
	if (r->n_pads == UNWIND_RANGE_PADS)
		return false;
	r->pads[r->n_pads++] = pad;
	return true;
}

/* Read the landing pads in the table at @address. */
static bool read_pads(struct target *t, uint64_t address, struct unwind_range *r)
{
	struct cursor c;
	uint64_t base = r->start;

	load_bytes(t, &c, address, sizeof(c.bytes));
	unsigned char encoding = (unsigned char)take_number(&c, 1);
	if (encoding != ENCODED_NOT)
		base = take_encoded(&c, encoding);
	encoding = (unsigned char)take_number(&c, 1);
	if (encoding != ENCODED_NOT)
		take_uleb(&c); /* the position of the types: skipped */
	encoding = (unsigned char)take_number(&c, 1);
	uint64_t length = take_uleb(&c), end = c.at + length;
	if (c.failed || encoding & 0x70 || length > c.n - c.at)
		return false;
	for (unsigned i = 0; c.at < end; i++) {
		take_encoded(&c, encoding);
		take_encoded(&c, encoding);
		uint64_t pad = take_encoded(&c, encoding);
		take_uleb(&c);
		if (c.failed || i == MAX_CALLS || (pad && !add_pad(r, base + pad)))
			return false;
	}
	return true;
}

bool unwind_range_find(struct target *t, uint64_t pc, struct unwind_range *ret)
{
	const struct target_module *module = target_module_at(t, pc);
	uint64_t header = module ? find_header(t, module) : 0;
	uint64_t entry = header ? find_entry(t, header, pc) : 0;
	struct unwind_range range = {0};
	struct common common;
	struct cursor c;

	if (!entry)
		return false;
	load_bytes(t, &c, entry, 64);
	uint64_t length = take_number(&c, 4), id_address = entry + c.at, id = take_number(&c, 4);
	if (c.failed || !length || length == UINT32_MAX || !id || !read_common(t, id_address - id, &common))
		return false;
	range.start = take_encoded(&c, common.pointer);
	range.end = range.start + take_encoded(&c, common.pointer & ENCODED_FORM);
	uint64_t n = take_uleb(&c);
	uint64_t lsda = common.has_lsda && n ? take_encoded(&c, common.lsda) : 0;
	if (c.failed || pc < range.start || pc >= range.end || (lsda && !read_pads(t, lsda, &range)))
		return false;
	*ret = range;
	return true;
}
