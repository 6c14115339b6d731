/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads code objects once for all frames of a view. */
#include "openmp/python/python_code.h"

#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "openmp/python/python.h"
#include "openmp/python/python_lines.h"
#include "openmp/python/python_memory.h"
#include "openmp/python/python_text.h"

/* Bytes of an instruction, where they are counted in units. */
#define UNIT_BYTES 2

static char *read_text_member(const struct python *py, uint64_t address)
{
	uint64_t text;

	return python_read_word(py->t, address, &text) ? python_text_read(py, text) : NULL;
}

static void read_lines(const struct python *py, struct python_code *code)
{
	const struct python_layout *l = &py->layout;
	uint64_t bytes, type, size;

	if (!python_read_word(py->t, code->address + l->code_lines, &bytes) ||
	    !python_read_word(py->t, bytes + l->object_type, &type) || type != py->bytes_type ||
	    !python_read_word(py->t, bytes + l->bytes_size, &size) || size > PYTHON_MAX_LINES)
		return;
	code->lines = malloc(size ? (size_t)size : 1);
	if (!code->lines)
		return;
	if (!size || python_read(py->t, false, bytes + l->bytes_data, code->lines, (size_t)size)) {
		code->n_lines = (size_t)size;
		return;
	}
	free(code->lines);
	code->lines = NULL;
}

static void free_code(struct python_code *code)
{
	free(code->function);
	free(code->file);
	free(code->lines);
}

static bool read_code(const struct python *py, uint64_t address, struct python_code *ret)
{
	const struct python_layout *l = &py->layout;
	struct python_code code = {.address = address};
	uint64_t type;

	if (!python_read_word(py->t, address + l->object_type, &type) || type != py->code_type ||
	    !python_read_int(py->t, address + l->code_first_line, &code.first_line))
		return false;
	if (l->code_first_traceable &&
	    !python_read_int(py->t, address + l->code_first_traceable, &code.first_traceable))
		return false;
	code.instructions = l->code_instructions ? address + l->code_instructions : 0;
	code.function =
		read_text_member(py, address + (l->code_qualified_name ? l->code_qualified_name : l->code_name));
	code.file = read_text_member(py, address + l->code_filename);
	if (!code.function || !code.file) {
		free_code(&code);
		return false;
	}
	read_lines(py, &code);
	*ret = code;
	return true;
}

const struct python_code *python_codes_get(struct python_codes *codes, const struct python *py, uint64_t address)
{
	uint32_t hash = hash_number(address);

	hash_for_each(i, &codes->index, hash)
	{
		if (codes->codes[i].address == address)
			return &codes->codes[i];
	}
	if (!VECTOR_GROW(codes->codes, codes->n, codes->cap) || !read_code(py, address, &codes->codes[codes->n]))
		return NULL;
	if (!hash_add(&codes->index, hash, codes->n)) {
		free_code(&codes->codes[codes->n]);
		return NULL;
	}
	return &codes->codes[codes->n++];
}

void python_codes_deinit(struct python_codes *codes)
{
	for (uint32_t i = 0; i < codes->n; i++)
		free_code(&codes->codes[i]);
	free(codes->codes);
	hash_deinit(&codes->index);
	*codes = (struct python_codes){0};
}

/* Return the byte offset of @instruction in the code; -1: it is before the first instruction. */
static int64_t get_offset(const struct python_code *code, const struct python *py, uint64_t instruction)
{
	if (code->instructions)
		return (int64_t)(instruction - code->instructions);
	int32_t index = (int32_t)instruction;

	if (index < 0)
		return -1;
	return py->layout.version < PYTHON_VERSION(10) ? index : (int64_t)index * UNIT_BYTES;
}

int python_code_line(const struct python_code *code, const struct python *py, uint64_t instruction,
		     bool *ret_is_started)
{
	int64_t offset = get_offset(code, py, instruction);

	*ret_is_started = offset >= 0 && offset >= (int64_t)code->first_traceable * UNIT_BYTES;
	if (!*ret_is_started || !code->lines)
		return 0;
	return python_lines_find(py->layout.version, code->lines, code->n_lines, code->first_line, (size_t)offset);
}

uint64_t python_code_instruction(const struct python_code *code, uint64_t instruction)
{
	/* In 3.9 and 3.10 an instruction is an index. */
	return code->instructions && instruction ? instruction : code->address + instruction;
}
