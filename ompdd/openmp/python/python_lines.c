/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Three formats: pairs of increments (3.9), pairs of a length and an increment (3.10, PEP 626), entries of variable
 * length (from 3.11 on, PEP 657).
 */
#include "openmp/python/python_lines.h"

#include <stdbool.h>

#include "openmp/python/python_layout.h"

/* Lines above this limit are damage. */
#define MAX_LINE INT32_MAX
/* An entry of 3.11: the high bit marks its first byte, 4 bits are its form, 3 bits the number of units less one. */
#define ENTRY_START	0x80
#define FORM_ONE_LINE	10 /* 10 to 12: the line changes by 0 to 2; two bytes of columns */
#define FORM_NO_COLUMNS 13
#define FORM_LONG	14
#define FORM_NONE	15
#define UNIT_BYTES	2
/* The increment of a range without a line in 3.10. */
#define NO_LINE (-128)

static int checked_line(int64_t line)
{
	return line > 0 && line <= MAX_LINE ? (int)line : 0;
}

/* 3.9: an entry starts at the address that its first byte adds; the last entry at or before @offset counts. */
static int find_in_increments(const unsigned char *table, size_t len, int first_line, size_t offset)
{
	int64_t line = first_line;
	size_t address = 0;

	for (size_t i = 0; i + 1 < len; i += 2) {
		address += table[i];
		if (address > offset)
			break;
		line += (int8_t)table[i + 1];
	}
	return checked_line(line);
}

static int find_in_ranges(const unsigned char *table, size_t len, int first_line, size_t offset)
{
	int64_t line = first_line;
	size_t end = 0;

	for (size_t i = 0; i + 1 < len; i += 2) {
		int change = (int8_t)table[i + 1];

		end += table[i];
		line += change == NO_LINE ? 0 : change;
		if (offset < end)
			return change == NO_LINE ? 0 : checked_line(line);
	}
	return 0;
}

/* Read a number of 6 bits per byte; bit 6 marks that another byte follows. Return false at the end of the table. */
static bool read_varint(const unsigned char *table, size_t len, size_t *at, uint32_t *ret)
{
	uint32_t value = 0;

	for (unsigned shift = 0; shift < 32 && *at < len; shift += 6) {
		unsigned char byte = table[(*at)++];

		value |= (uint32_t)(byte & 0x3f) << shift;
		if (!(byte & 0x40)) {
			*ret = value;
			return true;
		}
	}
	return false;
}

static int find_in_entries(const unsigned char *table, size_t len, int first_line, size_t offset)
{
	int64_t line = first_line;
	size_t end = 0;

	for (size_t i = 0; i < len;) {
		unsigned form = table[i] >> 3 & 0xf;
		uint32_t change = 0;

		if (!(table[i] & ENTRY_START))
			return 0;
		end += ((table[i] & 7u) + 1) * UNIT_BYTES;
		i++;
		if (form >= FORM_ONE_LINE && form < FORM_NO_COLUMNS) {
			line += form - FORM_ONE_LINE;
		} else if (form == FORM_NO_COLUMNS || form == FORM_LONG) {
			if (!read_varint(table, len, &i, &change))
				return 0;
			line += change & 1 ? -(int64_t)(change >> 1) : (int64_t)(change >> 1);
		}
		if (offset < end)
			return form == FORM_NONE ? 0 : checked_line(line);
		/* The rest of the entry: columns. */
		while (i < len && !(table[i] & ENTRY_START))
			i++;
	}
	return 0;
}

int python_lines_find(unsigned version, const unsigned char *table, size_t len, int first_line, size_t offset)
{
	if (version < PYTHON_VERSION(10))
		return find_in_increments(table, len, first_line, offset);
	if (version < PYTHON_VERSION(11))
		return find_in_ranges(table, len, first_line, offset);
	return find_in_entries(table, len, first_line, offset);
}
